import type { JsonObject } from '../../src/base/json.ts';
import type { RuntimePlan, Setup } from './random-plan.ts';

const nobody = 'http://127.0.0.1:1';

/** The settings of a plan whose runtimes are all played by one server, each under a path of its own. */
export function settingsFor({ runtimes, window, mostSteps }: Setup, origin: string): JsonObject {
  const [primary, ...standIns] = runtimes.map((runtime, place) => ({
    provider: runtime.vendor,
    base_url: `${runtime.state === 'up' ? origin : nobody}/r${place}/v1`,
    api_mode: runtime.apiMode,
    key_env: keysOf(runtime, place),
    ...(window === undefined ? {} : { context_length: window }),
  }));
  return {
    model: { ...primary, default: runtimes[0]?.model ?? '' },
    fallback: standIns.map((standIn, index) => ({ ...standIn, model: runtimes[index + 1]?.model ?? '' })),
    agent: { max_turns: mostSteps },
  };
}

/** The variables of a runtime's keys; each holds its own name. */
export function keysOf({ keys }: RuntimePlan, place: number): readonly string[] {
  return Array.from({ length: keys }, (_, index) => `KEY_${place}_${index + 1}`);
}

export function environmentOf({ runtimes }: Setup): Readonly<Record<string, string>> {
  return Object.fromEntries(runtimes.flatMap(keysOf).map((name) => [name, name]));
}

/** The key that a request came with. */
export function keyIn(headers: Readonly<Record<string, string>>): string {
  return headers['x-api-key'] ?? headers['authorization']?.replace('Bearer ', '') ?? '';
}

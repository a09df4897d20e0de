import { callsTool, failsWith, says } from '../test/support/model-script.ts';
import type { ModelStep, SeenRequest } from '../test/support/model-script.ts';
import type { ModelServer } from '../test/support/model-server.ts';
import type { Figure } from './figure.ts';
import { median, runToEnd } from './measure.ts';
import { spawnShells } from './bare-programs.ts';
import type { Product } from './product.ts';

const calls = 20;
const rounds = 15;
// Built into the shell, so that the shell is all that starts.
const command = 'echo measured';
const printed = 'measured';

/** Answers "use the shell N times" with one call after the other, and anything else with a word. */
export function answerBenchmark({ json }: SeenRequest): ModelStep {
  const messages = (json?.['messages'] ?? []) as readonly { readonly role: string; readonly content: string }[];
  const asked = messages.findLast(({ role }) => role === 'user');
  const wanted = Number(/use the shell (\d+) times/.exec(asked?.content ?? '')?.[1] ?? 0);
  const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  // A call that was refused is fast, and worth nothing as a figure.
  if (!results.every((result) => result.includes(printed)))
    return failsWith(400, `not what the shell prints: ${results.join()}`);
  return results.length < wanted ? callsTool('terminal', { command }) : says('hi');
}

/**
 * What one more shell call costs a user: everything between two questions to the model, that is the record before it,
 * the shell, the record after it and the next request. A turn with many calls, less a turn with one, which has loaded
 * whatever calls need.
 */
export async function measureShellCall(product: Product, server: ModelServer): Promise<readonly Figure[]> {
  const bare = await product.writeBare('shells.mjs', spawnShells(calls, server.baseUrl));
  const perCall: number[] = [];
  const floors: { readonly shell: number; readonly shellAndModel: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const withOne = await timeTurn(product, 'use the shell 1 times');
    const withMany = await timeTurn(product, `use the shell ${1 + calls} times`);
    perCall.push((withMany - withOne) / calls);
    floors.push(JSON.parse((await runToEnd(bare)).output) as (typeof floors)[number]);
  }
  const call = { name: 'a shell call within a turn', value: median(perCall), unit: 'ms' } as const;
  const shell = median(floors.map((floor) => floor.shell));
  const shellAndModel = median(floors.map((floor) => floor.shellAndModel));
  return [
    { ...call, floor: { name: 'a bare spawn of bash', value: shell }, bar: { type: 'times-floor', most: 1.7 } },
    { ...call, floor: { name: 'that and a bare model call', value: shellAndModel }, bar: { type: 'none' } },
  ];
}

async function timeTurn(product: Product, question: string): Promise<number> {
  const start = performance.now();
  await runToEnd(product.talaria(['run', question]));
  return performance.now() - start;
}

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ModelEvent, Provider } from '../../src/model/provider.ts';
import { nameRuntime } from '../../src/model/runtime.ts';
import type { ApiMode, Runtime } from '../../src/model/runtime.ts';
import { connectRuntime } from '../../src/providers/connect-runtime.ts';
import { saysAnthropic } from '../support/anthropic-script.ts';
import { failsWith, says, sendsRaw } from '../support/model-script.ts';
import type { ModelStep } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { saysResponses } from '../support/responses-script.ts';
import { requestOf } from './chat-setup.ts';

const answers: Readonly<Record<ApiMode, ModelStep>> = {
  chat_completions: says('hello'),
  anthropic_messages: saysAnthropic('hello'),
  codex_responses: saysResponses('hello'),
};

async function connect(baseUrl: string, apiMode: ApiMode): Promise<Provider> {
  const runtime: Runtime = {
    name: nameRuntime('custom', 'test-model'),
    vendor: 'custom',
    model: 'test-model',
    baseUrl,
    apiMode,
    credential: { type: 'key', reveal: () => 'a-key-of-the-test' },
    keyName: undefined,
    place: 'local',
    route: 'direct',
    window: undefined,
    cacheLife: '5m',
  };
  return await connectRuntime(runtime);
}

/** Everything a call yields; fails if it throws. */
async function gather(
  provider: Provider,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly ModelEvent[]> {
  return await Array.fromAsync(provider.stream(requestOf(), signal));
}

function ends(events: readonly ModelEvent[]): readonly string[] {
  return events.flatMap(({ type }) => (type === 'finished' || type === 'failed' ? [type] : []));
}

for (const apiMode of Object.keys(answers) as ApiMode[]) {
  describe(`the provider for ${apiMode}`, () => {
    for (const [what, step, end] of [
      ['an answer', answers[apiMode], 'finished'],
      ['a refusal', failsWith(500), 'failed'],
      ['garbage', sendsRaw('data: {{{\n\n'), 'failed'],
      ['nothing at all', sendsRaw(''), 'failed'],
    ] as const) {
      test(`ends with exactly one event, the last: ${what}`, async () => {
        await using server = await startModelServer(() => step);
        const provider = await connect(server.baseUrl, apiMode);

        const events = await gather(provider);
        await provider.close();

        assert.deepEqual(ends(events), [end]);
        assert.equal(events.at(-1)?.type, end);
      });
    }
  });
}

import type { JsonObject } from '../../../src/base/json.ts';
import { done, piece, sse, weather } from './fixture.ts';
import type { VendorFixture } from './fixture.ts';

/** Its chunks have no `object`, and a choice that goes on has no `finish_reason`. */
function zaiChunk(delta: JsonObject, ending: JsonObject = {}, more: JsonObject = {}): JsonObject {
  const choices = [{ index: 0, delta: { role: 'assistant', ...delta }, ...ending }];
  return { id: '20261115', created: 1_790_000_000, model: 'glm-5.3', choices, ...more };
}

export const zai: VendorFixture = {
  vendor: 'zai',
  documents: [
    'https://docs.z.ai/guides/capabilities/thinking-mode',
    'https://docs.z.ai/api-reference/api-code',
    'https://github.com/vercel/ai/tree/main/packages/zai (recorded answers)',
  ],
  text: {
    stream: sse(
      zaiChunk({ content: '', reasoning_content: 'The' }),
      zaiChunk({ reasoning_content: ' person greets.' }),
      zaiChunk({ content: 'Hello' }),
      zaiChunk(
        { content: '' },
        { finish_reason: 'stop' },
        {
          usage: {
            prompt_tokens: 100,
            completion_tokens: 30,
            total_tokens: 130,
            prompt_tokens_details: { cached_tokens: 43 },
          },
        },
      ),
      done,
    ),
    thoughts: 'The person greets.',
    text: 'Hello',
    kept: [{ reasoning_content: 'The person greets.' }],
    finish: 'stop',
    usage: { fresh: 57, cacheRead: 43, output: 30 },
    replayed: { reasoning_content: 'The person greets.' },
  },
  call: {
    stream: sse(
      zaiChunk({ reasoning_content: 'Look.' }),
      zaiChunk(piece(0, { id: 'call_-79', type: 'function', function: weather })),
      zaiChunk(
        { content: '' },
        { finish_reason: 'tool_calls' },
        {
          usage: { prompt_tokens: 200, completion_tokens: 25, prompt_tokens_details: { cached_tokens: 0 } },
        },
      ),
      done,
    ),
    thoughts: 'Look.',
    calls: [{ id: 'call_-79', ...weather }],
    kept: [{ reasoning_content: 'Look.' }],
    finish: 'calls',
    usage: { fresh: 200, output: 25 },
    replayed: { reasoning_content: 'Look.' },
  },
  refusal: {
    status: 429,
    body: { error: { code: '1113', message: 'Your account is in arrears, please recharge and try again' } },
    message: 'Your account is in arrears, please recharge and try again',
  },
};

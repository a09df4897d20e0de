import type { JsonObject } from '../../../src/base/json.ts';
import { counts, done, sse, weather } from './fixture.ts';
import type { VendorFixture } from './fixture.ts';

/** A choice that goes on has no `finish_reason`. */
function xaiChunk(delta: JsonObject, ending: JsonObject = {}): JsonObject {
  const choices = [{ index: 0, delta, ...ending }];
  return { id: 'de9d', object: 'chat.completion.chunk', created: 1_790_000_000, model: 'grok-4.5', choices };
}

export const xai: VendorFixture = {
  vendor: 'xai',
  documents: [
    'https://docs.x.ai/developers/advanced-api-usage/prompt-caching/usage-and-pricing',
    'https://github.com/vercel/ai/tree/main/packages/xai (recorded answers)',
  ],
  text: {
    stream: sse(
      xaiChunk({ reasoning_content: 'First', role: 'assistant' }),
      xaiChunk({ content: 'Hello' }),
      xaiChunk({}, { finish_reason: 'stop' }),
      // Reasoning is not in the count of what was put out, only in the total.
      counts({
        prompt_tokens: 291,
        completion_tokens: 26,
        total_tokens: 513,
        prompt_tokens_details: { text_tokens: 291, audio_tokens: 0, image_tokens: 0, cached_tokens: 290 },
        completion_tokens_details: { reasoning_tokens: 196, audio_tokens: 0 },
        num_sources_used: 0,
      }),
      done,
    ),
    thoughts: 'First',
    text: 'Hello',
    finish: 'stop',
    usage: { fresh: 1, cacheRead: 290, output: 222, reasoning: 196 },
  },
  call: {
    stream: sse(
      xaiChunk({ role: 'assistant', content: '' }),
      xaiChunk({ tool_calls: [{ id: 'call_551', function: weather, index: 0, type: 'function' }] }),
      xaiChunk({}, { finish_reason: 'tool_calls' }),
      counts({ prompt_tokens: 125, completion_tokens: 48, total_tokens: 173 }),
      done,
    ),
    calls: [{ id: 'call_551', ...weather }],
    finish: 'calls',
    usage: { fresh: 125, output: 48 },
  },
  refusal: {
    status: 400,
    body: { code: 'Client specified an invalid argument', error: 'Incorrect API key provided: xa***ey.' },
    message: 'Incorrect API key provided: xa***ey.',
  },
};

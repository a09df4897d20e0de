import type { JsonObject } from '../../../src/base/json.ts';
import { chunk, counts, done, piece, sse, weather } from './fixture.ts';
import type { VendorFixture } from './fixture.ts';

/** It counts inside the last choice, and once more in a chunk of its own where that was asked for. */
function ending(reason: string, usage: JsonObject): JsonObject {
  return chunk({}, null, { choices: [{ index: 0, delta: {}, finish_reason: reason, usage }] });
}

const usage = {
  prompt_tokens: 90,
  completion_tokens: 50,
  total_tokens: 140,
  cached_tokens: 80,
  completion_tokens_details: { reasoning_tokens: 33 },
};

export const kimi: VendorFixture = {
  vendor: 'kimi',
  documents: [
    'https://platform.kimi.ai/docs/guide/use-kimi-k2-thinking-model',
    'https://platform.kimi.ai/docs/api/quickstart',
    'https://github.com/vercel/ai/tree/main/packages/moonshotai (recorded answers)',
  ],
  text: {
    stream: sse(
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning_content: 'Say' }),
      chunk({ reasoning_content: ' hello.' }),
      chunk({ content: 'Hello' }),
      ending('stop', usage),
      counts(usage),
      done,
    ),
    thoughts: 'Say hello.',
    text: 'Hello',
    kept: [{ reasoning_content: 'Say hello.' }],
    finish: 'stop',
    usage: { fresh: 10, cacheRead: 80, output: 50, reasoning: 33 },
  },
  call: {
    stream: sse(
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning_content: 'Ask.' }),
      chunk(piece(0, { id: 'get_weather:0', type: 'function', function: { name: weather.name, arguments: '' } })),
      chunk(piece(0, { function: { arguments: weather.arguments } })),
      ending('tool_calls', { prompt_tokens: 11, completion_tokens: 6, total_tokens: 17 }),
      done,
    ),
    thoughts: 'Ask.',
    calls: [{ id: 'get_weather:0', ...weather }],
    kept: [{ reasoning_content: 'Ask.' }],
    finish: 'calls',
    usage: { fresh: 11, output: 6 },
    replayed: { reasoning_content: 'Ask.' },
  },
  refusal: {
    status: 404,
    body: { error: { message: 'Not found the model x or Permission denied', type: 'resource_not_found_error' } },
    message: 'Not found the model x or Permission denied',
  },
};

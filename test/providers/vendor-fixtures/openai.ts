import { chunk, counts, done, piece, sse, weather } from './fixture.ts';
import type { VendorFixture } from './fixture.ts';

const details = {
  prompt_tokens_details: { cached_tokens: 1024, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 64,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
};

export const openai: VendorFixture = {
  vendor: 'openai',
  documents: ['npm: openai (its types and its client)'],
  text: {
    stream: sse(
      chunk({ role: 'assistant', content: '', refusal: null }, null, { service_tier: 'default', usage: null }),
      chunk({ content: 'Hello' }, null, { usage: null, obfuscation: 'x8Y' }),
      chunk({ content: ' there' }, null, { usage: null }),
      chunk({}, 'stop', { usage: null }),
      counts({ prompt_tokens: 1200, completion_tokens: 80, total_tokens: 1280, ...details }),
      done,
    ),
    text: 'Hello there',
    finish: 'stop',
    usage: { fresh: 176, cacheRead: 1024, output: 80, reasoning: 64 },
  },
  call: {
    stream: sse(
      chunk(piece(0, { id: 'call_a', type: 'function', function: { name: weather.name, arguments: '' } })),
      chunk(piece(0, { function: { arguments: '{"city":' } })),
      chunk(piece(0, { function: { arguments: '"Paris"}' } })),
      chunk({}, 'tool_calls'),
      counts({ prompt_tokens: 82, completion_tokens: 18, total_tokens: 100 }),
      done,
    ),
    calls: [{ id: 'call_a', ...weather }],
    finish: 'calls',
    usage: { fresh: 82, output: 18 },
  },
  refusal: {
    status: 401,
    body: {
      error: {
        message: 'Incorrect API key provided.',
        type: 'invalid_request_error',
        param: null,
        code: 'invalid_api_key',
      },
    },
    message: 'Incorrect API key provided.',
  },
};

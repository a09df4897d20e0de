import { chunk, counts, done, piece, sse, weather } from './fixture.ts';
import type { VendorFixture } from './fixture.ts';

export const llamacpp: VendorFixture = {
  vendor: 'llamacpp',
  documents: ['https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md'],
  text: {
    stream: sse(
      chunk({ role: 'assistant', content: null }),
      chunk({ reasoning_content: 'A greeting.' }),
      chunk({ content: 'Hello' }),
      chunk({}, 'stop'),
      {
        ...counts({
          completion_tokens: 8,
          prompt_tokens: 40,
          total_tokens: 48,
          prompt_tokens_details: { cached_tokens: 32 },
        }),
        timings: { cache_n: 32, prompt_n: 8, prompt_ms: 20.1, predicted_n: 8, predicted_ms: 90.2 },
      },
      done,
    ),
    thoughts: 'A greeting.',
    text: 'Hello',
    finish: 'stop',
    usage: { fresh: 8, cacheRead: 32, output: 8 },
  },
  call: {
    stream: sse(
      chunk({ role: 'assistant', content: null }),
      chunk(piece(0, { id: 'Kq8', type: 'function', function: { name: weather.name, arguments: '{' } })),
      chunk(piece(0, { function: { arguments: '"city":"Paris"}' } })),
      chunk({}, 'tool_calls'),
      counts({ completion_tokens: 20, prompt_tokens: 300, total_tokens: 320 }),
      done,
    ),
    calls: [{ id: 'Kq8', ...weather }],
    finish: 'calls',
    usage: { fresh: 300, output: 20 },
  },
  refusal: {
    status: 400,
    body: {
      error: {
        code: 400,
        message: 'the request exceeds the available context size, try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 5000,
        n_ctx: 4096,
      },
    },
    message: 'the request exceeds the available context size, try increasing it',
  },
};

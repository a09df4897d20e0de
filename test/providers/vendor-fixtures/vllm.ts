import { chunk, counts, done, piece, sse, weather } from './fixture.ts';
import type { VendorFixture } from './fixture.ts';

export const vllm: VendorFixture = {
  vendor: 'vllm',
  documents: [
    'https://docs.vllm.ai/en/v0.28.0/serving/online_serving/openai_compatible_server/',
    'https://docs.vllm.ai/en/stable/features/reasoning_outputs/',
  ],
  text: {
    stream: sse(
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning: 'A greeting.' }),
      chunk({ content: 'Hello' }),
      chunk({ content: '' }, 'stop', { stop_reason: null }),
      counts({
        prompt_tokens: 64,
        total_tokens: 70,
        completion_tokens: 6,
        prompt_tokens_details: { cached_tokens: 48 },
      }),
      done,
    ),
    thoughts: 'A greeting.',
    text: 'Hello',
    finish: 'stop',
    usage: { fresh: 16, cacheRead: 48, output: 6 },
  },
  call: {
    stream: sse(
      chunk({ role: 'assistant', content: '' }),
      chunk(piece(0, { id: 'chatcmpl-tool-1', type: 'function', function: { name: weather.name } })),
      chunk(piece(0, { function: { arguments: '{"city": ' } })),
      chunk(piece(0, { function: { arguments: '"Paris"}' } })),
      chunk({ content: '' }, 'tool_calls', { stop_reason: null }),
      counts({ prompt_tokens: 200, total_tokens: 221, completion_tokens: 21, prompt_tokens_details: null }),
      done,
    ),
    calls: [{ id: 'chatcmpl-tool-1', name: weather.name, arguments: '{"city": "Paris"}' }],
    finish: 'calls',
    usage: { fresh: 200, output: 21 },
  },
  refusal: {
    status: 404,
    body: { error: { message: 'The model `x` does not exist.', type: 'NotFoundError', param: 'model', code: 404 } },
    message: 'The model `x` does not exist.',
  },
};

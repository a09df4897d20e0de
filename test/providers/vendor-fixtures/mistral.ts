import { chunk, done, sse, weather } from './fixture.ts';
import type { VendorFixture } from './fixture.ts';

export const mistral: VendorFixture = {
  vendor: 'mistral',
  documents: ['https://github.com/vercel/ai/tree/main/packages/mistral (recorded answers)'],
  text: {
    stream: sse(
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Hello' }),
      // It counts in the last piece of the answer.
      chunk({ content: '' }, 'stop', {
        usage: {
          prompt_tokens: 20,
          completion_tokens: 2,
          total_tokens: 22,
          num_cached_tokens: 16,
          prompt_tokens_details: { cached_tokens: 16 },
        },
      }),
      done,
    ),
    text: 'Hello',
    finish: 'stop',
    usage: { fresh: 4, cacheRead: 16, output: 2 },
  },
  call: {
    // A call comes whole, without an index, with the end of the answer.
    stream: sse(
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: null, tool_calls: [{ id: 'gSIMJiOkT', function: weather }] }, 'tool_calls', {
        usage: { prompt_tokens: 124, total_tokens: 146, completion_tokens: 22 },
      }),
      done,
    ),
    calls: [{ id: 'gSIMJiOkT', ...weather }],
    finish: 'calls',
    usage: { fresh: 124, output: 22 },
  },
  refusal: {
    status: 422,
    body: { detail: [{ type: 'extra_forbidden', loc: ['body', 'x'], msg: 'Extra inputs are not permitted' }] },
    message: 'Extra inputs are not permitted',
  },
};

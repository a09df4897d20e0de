import { chunk, done, sse, weather } from './fixture.ts';
import type { VendorFixture } from './fixture.ts';

const usage = {
  queue_time: 0.04,
  prompt_tokens: 210,
  prompt_time: 0.01,
  completion_tokens: 15,
  completion_time: 0.05,
  total_tokens: 225,
  total_time: 0.06,
  prompt_tokens_details: { cached_tokens: 128 },
};

export const groq: VendorFixture = {
  vendor: 'groq',
  documents: [
    'https://console.groq.com/docs/prompt-caching',
    'https://github.com/vercel/ai/tree/main/packages/groq (recorded answers)',
  ],
  text: {
    stream: sse(
      chunk({ role: 'assistant', content: '' }, null, { x_groq: { id: 'req_1', seed: 1 } }),
      chunk({ reasoning: 'A greeting.', channel: 'analysis' }),
      chunk({ content: 'Hello' }),
      // It counts in the last piece of the answer, twice.
      chunk({}, 'stop', { x_groq: { id: 'req_1', usage }, usage }),
      done,
    ),
    thoughts: 'A greeting.',
    text: 'Hello',
    finish: 'stop',
    usage: { fresh: 82, cacheRead: 128, output: 15 },
  },
  call: {
    stream: sse(
      chunk({ role: 'assistant', content: null }, null, { x_groq: { id: 'req_1' } }),
      chunk({ tool_calls: [{ id: 'tk85n1k4m', type: 'function', function: weather, index: 0 }] }),
      chunk({}, 'tool_calls', { usage: { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 } }),
      done,
    ),
    calls: [{ id: 'tk85n1k4m', ...weather }],
    finish: 'calls',
    usage: { fresh: 20, output: 5 },
  },
  refusal: {
    status: 413,
    body: {
      error: {
        message: 'Request too large for model on tokens per minute (TPM): Limit 8000, Requested 9000',
        type: 'tokens',
        code: 'rate_limit_exceeded',
      },
    },
    message: 'Request too large for model on tokens per minute (TPM): Limit 8000, Requested 9000',
  },
};

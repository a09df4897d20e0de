import { chunk, done, piece, sse, weather } from './fixture.ts';
import type { VendorFixture } from './fixture.ts';

const base = { system_fingerprint: 'fp_1' };

export const deepseek: VendorFixture = {
  vendor: 'deepseek',
  documents: [
    'https://api-docs.deepseek.com/guides/thinking_mode',
    'https://api-docs.deepseek.com/quick_start/rate_limit',
    'https://github.com/vercel/ai/tree/main/packages/deepseek (recorded answers)',
  ],
  text: {
    stream: sse(
      // It keeps the connection alive with comments while a request waits for its turn.
      ': keep-alive',
      chunk({ role: 'assistant', content: null, reasoning_content: '' }, null, { ...base, usage: null }),
      chunk({ content: null, reasoning_content: 'A greeting.' }, null, { ...base, usage: null }),
      ': keep-alive',
      chunk({ content: 'Hello', reasoning_content: null }, null, { ...base, usage: null }),
      chunk({ content: '' }, 'stop', {
        ...base,
        usage: {
          prompt_tokens: 88,
          completion_tokens: 14,
          total_tokens: 102,
          prompt_tokens_details: { cached_tokens: 64 },
          completion_tokens_details: { reasoning_tokens: 10 },
          prompt_cache_hit_tokens: 64,
          prompt_cache_miss_tokens: 24,
        },
      }),
      done,
    ),
    thoughts: 'A greeting.',
    text: 'Hello',
    kept: [{ reasoning_content: 'A greeting.' }],
    finish: 'stop',
    usage: { fresh: 24, cacheRead: 64, output: 14, reasoning: 10 },
  },
  call: {
    stream: sse(
      chunk({ role: 'assistant', content: null, reasoning_content: 'I need ' }, null, base),
      chunk({ content: null, reasoning_content: 'the weather.' }, null, base),
      chunk(
        piece(0, { id: 'call_00_x', type: 'function', function: { name: weather.name, arguments: '' } }),
        null,
        base,
      ),
      chunk(piece(0, { function: { arguments: weather.arguments } }), null, base),
      chunk({ content: '' }, 'tool_calls', {
        ...base,
        usage: {
          prompt_tokens: 300,
          completion_tokens: 40,
          prompt_cache_hit_tokens: 256,
          prompt_cache_miss_tokens: 44,
        },
      }),
      done,
    ),
    thoughts: 'I need the weather.',
    calls: [{ id: 'call_00_x', ...weather }],
    kept: [{ reasoning_content: 'I need the weather.' }],
    finish: 'calls',
    usage: { fresh: 44, cacheRead: 256, output: 40 },
    replayed: { reasoning_content: 'I need the weather.' },
  },
  refusal: {
    status: 402,
    body: {
      error: {
        message: 'Insufficient Balance',
        type: 'unknown_error',
        param: null,
        code: 'invalid_request_error',
      },
    },
    message: 'Insufficient Balance',
  },
};

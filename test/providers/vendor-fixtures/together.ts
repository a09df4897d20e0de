import { chunk, done, piece, sse, weather } from './fixture.ts';
import type { VendorFixture } from './fixture.ts';

export const together: VendorFixture = {
  vendor: 'together',
  documents: [
    'https://docs.together.ai/reference/chat-completions-1',
    'https://github.com/llamastack/llama-stack (recorded answers)',
  ],
  text: {
    stream: sse(
      chunk({ role: 'assistant', content: 'Hello', token_id: 9906 }, null, { usage: null, warnings: null }),
      chunk({ role: 'assistant', content: '', token_id: 2 }, 'eos', {
        usage: { prompt_tokens: 17, completion_tokens: 2, total_tokens: 19 },
      }),
      done,
    ),
    text: 'Hello',
    finish: 'stop',
    usage: { fresh: 17, output: 2 },
  },
  call: {
    stream: sse(
      chunk({ role: 'assistant', content: '', reasoning: 'Look.' }),
      chunk(piece(0, { id: 'call_u5', type: 'function', function: { name: weather.name, arguments: '' } })),
      chunk(piece(0, { function: { arguments: weather.arguments } })),
      chunk({ content: '' }, 'tool_calls', { usage: { prompt_tokens: 180, completion_tokens: 20, total_tokens: 200 } }),
      done,
    ),
    thoughts: 'Look.',
    calls: [{ id: 'call_u5', ...weather }],
    finish: 'calls',
    usage: { fresh: 180, output: 20 },
  },
  refusal: {
    status: 429,
    body: {
      id: 'o1',
      error: { message: 'You have reached the rate limit.', type: 'rate_limit', param: null, code: null },
    },
    message: 'You have reached the rate limit.',
  },
};

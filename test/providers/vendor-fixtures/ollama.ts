import { chunk, counts, done, piece, sse, weather } from './fixture.ts';
import type { VendorFixture } from './fixture.ts';

const fingerprint = { system_fingerprint: 'fp_ollama' };

export const ollama: VendorFixture = {
  vendor: 'ollama',
  documents: ['https://docs.ollama.com/api/openai-compatibility'],
  text: {
    stream: sse(
      chunk({ role: 'assistant', content: '', reasoning: 'A greeting.' }, null, fingerprint),
      chunk({ role: 'assistant', content: 'Hello' }, null, fingerprint),
      chunk({ role: 'assistant', content: '' }, 'stop', fingerprint),
      { ...counts({ prompt_tokens: 26, completion_tokens: 8, total_tokens: 34 }), ...fingerprint },
      done,
    ),
    thoughts: 'A greeting.',
    text: 'Hello',
    finish: 'stop',
    usage: { fresh: 26, output: 8 },
  },
  call: {
    // A call comes whole, in a piece of its own.
    stream: sse(
      chunk({ role: 'assistant', content: '', ...piece(0, { id: 'call_qj', type: 'function', function: weather }) }),
      chunk({ role: 'assistant', content: '' }, 'tool_calls'),
      counts({ prompt_tokens: 150, completion_tokens: 20, total_tokens: 170 }),
      done,
    ),
    calls: [{ id: 'call_qj', ...weather }],
    finish: 'calls',
    usage: { fresh: 150, output: 20 },
  },
  refusal: {
    status: 404,
    body: {
      error: { message: 'model "x" not found, try pulling it first', type: 'api_error', param: null, code: null },
    },
    message: 'model "x" not found, try pulling it first',
  },
};

import { chunk, counts, done, piece, sse, weather } from './fixture.ts';
import type { VendorFixture } from './fixture.ts';

const fingerprint = { system_fingerprint: '3.3.4-native' };

export const huggingface: VendorFixture = {
  vendor: 'huggingface',
  documents: [
    'https://huggingface.co/docs/inference-providers/guides/gpt-oss',
    'npm: @huggingface/tasks (the schema of chat completion)',
  ],
  text: {
    stream: sse(
      chunk({ role: 'assistant', content: 'Hello' }, null, fingerprint),
      chunk({ role: 'assistant', content: '' }, 'stop', { ...fingerprint, usage: null }),
      counts({ prompt_tokens: 24, completion_tokens: 3, total_tokens: 27 }),
      done,
    ),
    text: 'Hello',
    finish: 'stop',
    usage: { fresh: 24, output: 3 },
  },
  call: {
    stream: sse(
      chunk(
        {
          role: 'assistant',
          ...piece(0, { id: 'call_h', type: 'function', function: { ...weather, arguments: '{"city"' } }),
        },
        null,
        fingerprint,
      ),
      // The name comes again with every piece.
      chunk(
        {
          role: 'assistant',
          ...piece(0, { id: 'call_h', type: 'function', function: { ...weather, arguments: ':"Paris"}' } }),
        },
        'tool_calls',
        fingerprint,
      ),
      counts({ prompt_tokens: 80, completion_tokens: 16, total_tokens: 96 }),
      done,
    ),
    calls: [{ id: 'call_h', ...weather }],
    finish: 'calls',
    usage: { fresh: 80, output: 16 },
  },
  refusal: { status: 401, body: { error: 'Invalid username or password.' }, message: 'Invalid username or password.' },
};

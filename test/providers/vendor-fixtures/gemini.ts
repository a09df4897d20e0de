import { chunk, done, piece, sse, weather } from './fixture.ts';
import type { VendorFixture } from './fixture.ts';

const signed = { extra_content: { google: { thought_signature: 'CrICAdHtim827fQ' } } };

export const gemini: VendorFixture = {
  vendor: 'gemini',
  documents: [
    'https://ai.google.dev/api/compatibility',
    'https://ai.google.dev/gemini-api/docs/thought-signatures',
    'https://discuss.ai.google.dev/t/109823 (recorded answers)',
  ],
  text: {
    stream: sse(
      chunk({ role: 'assistant', content: 'Hello' }),
      chunk({ role: 'assistant', content: ' there' }, 'stop', {
        usage: { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 },
      }),
      done,
    ),
    text: 'Hello there',
    finish: 'stop',
    usage: { fresh: 9, output: 12 },
  },
  call: {
    // The signature stands with the first of several calls, and every call may be number 0.
    stream: sse(
      chunk({
        role: 'assistant',
        ...piece(0, { ...signed, id: 'function-call-1', type: 'function', function: weather }),
      }),
      chunk(
        { role: 'assistant', ...piece(0, { id: 'function-call-2', type: 'function', function: weather }) },
        'tool_calls',
        { usage: { prompt_tokens: 60, completion_tokens: 20, total_tokens: 80 } },
      ),
      done,
    ),
    calls: [
      { id: 'function-call-1', ...weather },
      { id: 'function-call-2', ...weather },
    ],
    kept: [{ call: 0, fields: signed }],
    finish: 'calls',
    usage: { fresh: 60, output: 20 },
    replayed: {
      tool_calls: [
        { id: 'function-call-1', type: 'function', function: weather, ...signed },
        { id: 'function-call-2', type: 'function', function: weather },
      ],
    },
  },
  refusal: {
    status: 400,
    // Errors come in a list.
    body: [{ error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT' } }],
    message: 'API key not valid.',
  },
};

import { chunk, counts, done, piece, sse, weather } from './fixture.ts';
import type { VendorFixture } from './fixture.ts';

export const lmstudio: VendorFixture = {
  vendor: 'lmstudio',
  documents: ['https://lmstudio.ai/docs/developer', 'https://lmstudio.ai/docs/developer/openai-compat/tools'],
  text: {
    stream: sse(
      chunk({ role: 'assistant', content: 'Hello' }, null, { system_fingerprint: 'model' }),
      chunk({}, 'stop', { system_fingerprint: 'model' }),
      counts({ prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 }),
      done,
    ),
    text: 'Hello',
    finish: 'stop',
    usage: { fresh: 12, output: 3 },
  },
  call: {
    stream: sse(
      chunk({
        role: 'assistant',
        ...piece(0, { id: '814890118', type: 'function', function: { name: weather.name, arguments: '' } }),
      }),
      chunk({ role: 'assistant', ...piece(0, { type: 'function', function: { arguments: '{"city":' } }) }),
      chunk({ role: 'assistant', ...piece(0, { type: 'function', function: { arguments: '"Paris"}' } }) }),
      chunk({}, 'tool_calls'),
      counts({ prompt_tokens: 263, completion_tokens: 34, total_tokens: 297 }),
      done,
    ),
    calls: [{ id: '814890118', ...weather }],
    finish: 'calls',
    usage: { fresh: 263, output: 34 },
  },
  refusal: {
    status: 404,
    body: {
      error: {
        message: 'Model "x" not found.',
        type: 'invalid_request_error',
        param: 'model',
        code: 'model_not_found',
      },
    },
    message: 'Model "x" not found.',
  },
};

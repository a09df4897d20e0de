import type { JsonObject } from '../../../src/base/json.ts';
import { chunk, counts, done, piece, sse, weather } from './fixture.ts';
import type { VendorFixture } from './fixture.ts';

const calm = { input_sensitive: false, output_sensitive: false, base_resp: { status_code: 0, status_msg: '' } };

function thought(text: string): JsonObject {
  return {
    reasoning_details: [
      { type: 'reasoning.text', id: 'reasoning-text-1', format: 'MiniMax-response-v1', index: 0, text },
    ],
  };
}

export const minimax: VendorFixture = {
  vendor: 'minimax',
  documents: [
    'https://platform.minimax.io/docs/api-reference/text-openai-api',
    'https://platform.minimax.io/docs/api-reference/text-chat',
    'https://platform.minimax.io/docs/api-reference/errorcode',
  ],
  text: {
    // As its documentation reads them: each piece of a thought repeats what came before it.
    stream: sse(
      chunk({ role: 'assistant', content: '', name: 'MiniMax AI', ...thought('The user') }, null, calm),
      chunk({ content: '', ...thought('The user greets.') }, null, calm),
      chunk({ content: 'Hello' }, null, calm),
      chunk({ content: '' }, 'stop', calm),
      {
        ...counts({
          prompt_tokens: 120,
          completion_tokens: 60,
          total_tokens: 180,
          total_characters: 0,
          prompt_tokens_details: { cached_tokens: 100 },
          completion_tokens_details: { reasoning_tokens: 40 },
        }),
        ...calm,
      },
      done,
    ),
    thoughts: 'The user greets.',
    text: 'Hello',
    kept: [thought('The user greets.')],
    finish: 'stop',
    usage: { fresh: 20, cacheRead: 100, output: 60, reasoning: 40 },
  },
  call: {
    // As it sends them: each piece has only what is new.
    stream: sse(
      chunk({ role: 'assistant', content: '', ...thought('I look') }, null, calm),
      chunk({ content: '', ...thought(' it up.') }, null, calm),
      chunk(piece(0, { id: 'call_function_1', type: 'function', function: weather }), null, calm),
      chunk({ content: '' }, 'tool_calls', { ...calm, usage: { prompt_tokens: 30, completion_tokens: 9 } }),
      done,
    ),
    thoughts: 'I look it up.',
    calls: [{ id: 'call_function_1', ...weather }],
    kept: [thought('I look it up.')],
    finish: 'calls',
    usage: { fresh: 30, output: 9 },
    replayed: thought('I look it up.'),
  },
  refusal: {
    status: 401,
    body: {
      type: 'error',
      error: { type: 'authorized_error', message: 'invalid api key (2049)', http_code: '401' },
      request_id: '05a1',
    },
    message: 'invalid api key (2049)',
  },
};

import { chunk, done, piece, sse, weather } from './fixture.ts';
import type { VendorFixture } from './fixture.ts';

const route = { provider: 'Anthropic' };

function thought(text: string): { readonly reasoning: string; readonly reasoning_details: object[] } {
  return {
    reasoning: text,
    reasoning_details: [{ type: 'reasoning.text', text, format: 'anthropic-claude-v1', index: 0 }],
  };
}

const kept = {
  type: 'reasoning.text',
  text: 'Look it up.',
  format: 'anthropic-claude-v1',
  index: 0,
  signature: 'c2lnbmVk',
};

export const openrouter: VendorFixture = {
  vendor: 'openrouter',
  documents: [
    'https://openrouter.ai/docs/use-cases/usage-accounting',
    'https://openrouter.ai/docs/use-cases/reasoning-tokens',
  ],
  text: {
    // Comments keep the connection alive while it looks for a server.
    stream: sse(
      ': OPENROUTER PROCESSING',
      ': OPENROUTER PROCESSING',
      chunk({ role: 'assistant', content: 'Hello' }, null, route),
      chunk({ role: 'assistant', content: '' }, 'stop', {
        ...route,
        usage: {
          prompt_tokens: 194,
          completion_tokens: 2,
          total_tokens: 196,
          cost: 0.95,
          cost_details: { upstream_inference_cost: 19 },
          prompt_tokens_details: { cached_tokens: 40, cache_write_tokens: 100, audio_tokens: 0 },
          completion_tokens_details: { reasoning_tokens: 0 },
        },
      }),
      done,
    ),
    text: 'Hello',
    finish: 'stop',
    usage: { fresh: 54, cacheRead: 40, cacheWrite: 100, output: 2 },
  },
  call: {
    stream: sse(
      chunk({ role: 'assistant', content: '', ...(thought('Look ') as {}) }, null, route),
      chunk({ content: '', ...(thought('it up.') as {}) }, null, route),
      chunk(
        {
          content: '',
          reasoning: null,
          reasoning_details: [{ type: 'reasoning.text', signature: kept.signature, format: kept.format, index: 0 }],
        },
        null,
        route,
      ),
      chunk(
        piece(0, { id: 'toolu_1', type: 'function', function: { name: weather.name, arguments: '' } }),
        null,
        route,
      ),
      chunk(piece(0, { type: 'function', function: { arguments: weather.arguments } }), null, route),
      chunk({ content: '' }, 'tool_calls', { ...route, usage: { prompt_tokens: 50, completion_tokens: 12 } }),
      done,
    ),
    thoughts: 'Look it up.',
    calls: [{ id: 'toolu_1', ...weather }],
    kept: [{ reasoning_details: [kept] }],
    finish: 'calls',
    usage: { fresh: 50, output: 12 },
    replayed: { reasoning_details: [kept] },
  },
  refusal: {
    status: 402,
    body: { error: { code: 402, message: 'Insufficient credits. Add more to continue.' }, user_id: 'user_1' },
    message: 'Insufficient credits. Add more to continue.',
  },
};

import type { Json, JsonObject } from '../../../src/base/json.ts';
import { sse, weather } from './fixture.ts';
import type { VendorFixture } from './fixture.ts';
import { openai } from './openai.ts';

const thought = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'gAAAAABencrypted' };

function response(status: string, output: readonly Json[], counts: Json): JsonObject {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1_790_000_000,
    status,
    model: 'gpt-5.4',
    output,
    store: false,
    usage: counts,
  };
}

function message(text: string): JsonObject {
  const content = [{ type: 'output_text', annotations: [], logprobs: [], text }];
  return { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content };
}

function usage(fresh: number, cached: number, output: number, reasoning: number): JsonObject {
  return {
    input_tokens: fresh + cached,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: fresh + cached + output,
  };
}

function numbered(...events: readonly JsonObject[]): string {
  return sse(...events.map((event, place): JsonObject => ({ ...event, sequence_number: place })));
}

const call = { id: 'fc_1', type: 'function_call', status: 'completed', call_id: 'call_a', ...weather };

export const openaiResponses: VendorFixture = {
  vendor: 'openai',
  apiMode: 'codex_responses',
  documents: ['npm: openai (its types and its client)'],
  text: {
    stream: numbered(
      { type: 'response.created', response: response('in_progress', [], null) },
      { type: 'response.in_progress', response: response('in_progress', [], null) },
      { type: 'response.output_item.added', output_index: 0, item: { ...thought, encrypted_content: 'gAAAAABbegun' } },
      { type: 'response.output_item.done', output_index: 0, item: thought },
      {
        type: 'response.output_item.added',
        output_index: 1,
        item: { ...message(''), status: 'in_progress', content: [] },
      },
      {
        type: 'response.content_part.added',
        item_id: 'msg_1',
        output_index: 1,
        content_index: 0,
        part: { type: 'output_text', annotations: [], logprobs: [], text: '' },
      },
      {
        type: 'response.output_text.delta',
        item_id: 'msg_1',
        output_index: 1,
        content_index: 0,
        delta: 'Hello',
        logprobs: [],
        obfuscation: 'x8Y',
      },
      {
        type: 'response.output_text.delta',
        item_id: 'msg_1',
        output_index: 1,
        content_index: 0,
        delta: ' there',
        logprobs: [],
        obfuscation: '',
      },
      {
        type: 'response.output_text.done',
        item_id: 'msg_1',
        output_index: 1,
        content_index: 0,
        text: 'Hello there',
        logprobs: [],
      },
      {
        type: 'response.content_part.done',
        item_id: 'msg_1',
        output_index: 1,
        content_index: 0,
        part: { type: 'output_text', annotations: [], logprobs: [], text: 'Hello there' },
      },
      { type: 'response.output_item.done', output_index: 1, item: message('Hello there') },
      {
        type: 'response.completed',
        response: response('completed', [thought, message('Hello there')], usage(176, 1024, 80, 64)),
      },
    ),
    text: 'Hello there',
    kept: [thought],
    finish: 'stop',
    usage: { fresh: 176, cacheRead: 1024, output: 80, reasoning: 64 },
    replayed: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello there' }] },
  },
  call: {
    stream: numbered(
      { type: 'response.created', response: response('in_progress', [], null) },
      { type: 'response.output_item.added', output_index: 0, item: { ...call, status: 'in_progress', arguments: '' } },
      {
        type: 'response.function_call_arguments.delta',
        item_id: 'fc_1',
        output_index: 0,
        delta: '{"city":',
        obfuscation: 'a',
      },
      {
        type: 'response.function_call_arguments.delta',
        item_id: 'fc_1',
        output_index: 0,
        delta: '"Paris"}',
        obfuscation: 'b',
      },
      {
        type: 'response.function_call_arguments.done',
        item_id: 'fc_1',
        output_index: 0,
        name: weather.name,
        arguments: weather.arguments,
      },
      { type: 'response.output_item.done', output_index: 0, item: call },
      { type: 'response.completed', response: response('completed', [call], usage(82, 0, 18, 0)) },
    ),
    calls: [{ id: 'call_a', ...weather }],
    finish: 'calls',
    usage: { fresh: 82, output: 18 },
    replayed: { type: 'function_call', call_id: 'call_a', name: weather.name, arguments: weather.arguments },
  },
  refusal: openai.refusal,
};

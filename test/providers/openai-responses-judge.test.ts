import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import type {
  Response,
  ResponseCreateParamsStreaming,
  ResponseInputItem,
  ResponseOutputMessage,
  ResponseReasoningItem,
  ResponseUsage,
} from 'openai/resources/responses/responses';

import { textPart } from '../../src/model/message.ts';
import type { ModelRequest } from '../../src/model/provider.ts';
import { prepareOpenAiResponses } from '../../src/providers/openai-responses-request.ts';
import type { ModelStep } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import type { ModelServer } from '../support/model-server.ts';
import { answersResponses, callsToolsResponses, saysResponses, thinksResponses } from '../support/responses-script.ts';
import { ask, callId, requestOf } from './chat-setup.ts';
import { endOf, openResponses, vendor } from './openai-responses-setup.ts';

/** The vendor's own client: what it sends and what it reads is how the protocol is meant. */
function openSdk(server: ModelServer): OpenAI {
  return new OpenAI({ apiKey: 'test-key', baseURL: server.baseUrl, maxRetries: 0 });
}

/**
 * An item of the input as the SDK types it, but for the ids: with `store: false` the server has nothing to find by them,
 * and what only describes an output (its status, its annotations) may be left out as well.
 */
type Sent =
  | Exclude<ResponseInputItem, ResponseReasoningItem | ResponseOutputMessage>
  | Omit<ResponseReasoningItem, 'id'>
  | (Pick<ResponseOutputMessage, 'type' | 'role' | 'phase'> & {
      readonly content: readonly { readonly type: 'output_text'; readonly text: string }[];
    });
type SentBody = Omit<ResponseCreateParamsStreaming, 'input'> & { readonly input: readonly Sent[] };

const readFile = {
  name: 'read_file',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

const conversation: ModelRequest = requestOf({
  model: 'gpt-test',
  system: 'You are a test.',
  tools: [readFile],
  messages: [
    { role: 'user', parts: [textPart('read a.txt')] },
    {
      role: 'assistant',
      parts: [textPart('I will.')],
      calls: [{ id: callId('call_1'), name: 'read_file', arguments: '{"path":"a.txt"}' }],
      reasoning: {
        vendor,
        text: 'Hm.',
        items: [
          {
            id: 'rs_1',
            type: 'reasoning',
            encrypted_content: 'gAAAAB',
            summary: [{ type: 'summary_text', text: 'Hm.' }],
          },
          { type: 'message', phase: 'commentary' },
          { type: 'function_call' },
        ],
      },
    },
    { role: 'tool', callId: callId('call_1'), outcome: { type: 'failed', message: 'gone' }, steering: ['try b'] },
    { role: 'assistant', parts: [textPart('It is gone.')], calls: [] },
    { role: 'user', parts: [textPart('Thanks – 世界 😀')] },
  ],
  toolUse: 'forbidden',
  maxOutputTokens: 500,
  cacheKey: 'ses_test',
  effort: 'low',
});

const sameForSdk: SentBody = {
  model: 'gpt-test',
  instructions: 'You are a test.',
  tools: [{ type: 'function', ...readFile, strict: false }],
  parallel_tool_calls: true,
  tool_choice: 'none',
  include: ['reasoning.encrypted_content'],
  reasoning: { effort: 'low', summary: 'auto' },
  prompt_cache_key: 'ses_test',
  max_output_tokens: 500,
  store: false,
  stream: true,
  input: [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'read a.txt' }] },
    { type: 'reasoning', encrypted_content: 'gAAAAB', summary: [{ type: 'summary_text', text: 'Hm.' }] },
    { type: 'message', role: 'assistant', phase: 'commentary', content: [{ type: 'output_text', text: 'I will.' }] },
    { type: 'function_call', call_id: 'call_1', name: 'read_file', arguments: '{"path":"a.txt"}' },
    {
      type: 'function_call_output',
      call_id: 'call_1',
      output: 'ERROR: gone\n\n<user-message>\ntry b\n</user-message>',
    },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'It is gone.' }] },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Thanks – 世界 😀' }] },
  ],
};

test("the vendor's SDK sends the same body to the same address for the same conversation", async () => {
  await using server = await startModelServer([saysResponses('one'), saysResponses('two')]);
  await using client = openResponses(server, { runtime: { credential: { type: 'key', reveal: () => 'test-key' } } });

  await ask(client, conversation);
  await openSdk(server)
    .responses.stream(sameForSdk as unknown as ResponseCreateParamsStreaming)
    .finalResponse();

  const [ours, theirs] = server.requests;
  assert.deepEqual(ours?.json, theirs?.json);
  assert.deepEqual(
    [ours?.method, ours?.path, ours?.headers['authorization'], ours?.headers['content-type']],
    [theirs?.method, theirs?.path, theirs?.headers['authorization'], theirs?.headers['content-type']],
  );
});

const usage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
  output_tokens: 30,
  output_tokens_details: { reasoning_tokens: 12 },
  total_tokens: 130,
};

const answers: Readonly<Record<string, ModelStep>> = {
  'a text': saysResponses('Hello you there', { usage }),
  'a text after reasoning': saysResponses('Grüße an 世界 😀', { reasoning: 'Hm, well', usage }),
  'several calls': callsToolsResponses(
    [
      { name: 'a', args: { n: 1 } },
      { name: 'b', args: '{ "n" : 2 }', id: 'own' },
    ],
    { reasoning: 'Two of them.', text: 'Wait.', usage },
  ),
  'an order of its own, with phases': answersResponses(
    [
      { type: 'thought', summary: ['One.', 'Two.'], encrypted: 'first' },
      { type: 'text', text: 'I will look.', phase: 'commentary' },
      { type: 'call', name: 'a', args: '{}' },
      { type: 'thought', summary: [], encrypted: 'second' },
      { type: 'call', name: 'b', args: '{}' },
    ],
    { usage },
  ),
  'a refusal': answersResponses([{ type: 'refusal', text: 'I will not.' }], { usage }),
  'a text that was cut by length': saysResponses('Hello you', { incomplete: 'max_output_tokens', usage }),
  'nothing but reasoning': thinksResponses('Hm.', { incomplete: 'max_output_tokens', usage }),
};

test("the vendor's SDK gets the same answer from the same stream", async () => {
  for (const [name, step] of Object.entries(answers)) {
    await using server = await startModelServer([step]);

    const theirs = await openSdk(server).responses.stream({ model: 'gpt-test', input: 'hello' }).finalResponse();
    const ours = await endOf(step);

    assert.deepEqual(ours, { type: 'finished', ...inOurTerms(theirs) }, name);
  }
});

test('what goes back of an answer is what the SDK got of it, in its order, without what only describes it', async () => {
  for (const [name, step] of Object.entries(answers)) {
    await using server = await startModelServer([step]);

    const theirs = await openSdk(server).responses.stream({ model: 'gpt-test', input: 'hello' }).finalResponse();
    const { message } = await endOf(step);
    const { input } = JSON.parse(prepareOpenAiResponses(requestOf({ messages: [message] }), vendor)) as SentBody;

    const last = theirs.output.at(-1)?.type === 'reasoning' ? [emptyMessage] : [];
    assert.deepEqual(input, [...theirs.output.map(withoutDescription), ...last], name);
  }
});

const emptyMessage = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: '' }] };

function withoutDescription(item: Response['output'][number]): object {
  const { id: _id, status: _status, ...rest } = { status: undefined, parsed_arguments: undefined, ...item };
  const { parsed_arguments: _parsed, ...sent } = rest;
  if (sent.type !== 'message') return sent;
  const content = sent.content.map((part) => (part.type === 'refusal' ? part.refusal : part.text)).join('');
  return { ...sent, content: [{ type: 'output_text', text: content }] };
}

/** An answer as the SDK understood it, in our terms. */
function inOurTerms(response: Response): object {
  const { output } = response;
  const said = output.flatMap((item) => (item.type === 'message' ? [item] : []));
  const calls = output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
  const thoughts = output.flatMap((item) => (item.type === 'reasoning' ? [item] : []));
  const isMarked = said.some((item) => typeof item.phase === 'string');
  const marks = output.map((item) => (item.type === 'reasoning' ? item : markOf(item)));
  const text = thoughts.flatMap((item) => item.summary.map((part) => part.text)).join('\n\n');
  const reasoning = { vendor, text, items: isMarked ? marks : thoughts };
  return {
    message: {
      role: 'assistant',
      parts: said.map((item) =>
        textPart(item.content.map((part) => (part.type === 'refusal' ? part.refusal : part.text)).join('')),
      ),
      calls: calls.map((item) => ({ id: item.call_id, name: item.name, arguments: item.arguments })),
      ...(thoughts.length > 0 ? { reasoning } : {}),
    },
    finish: response.incomplete_details === null ? (calls.length > 0 ? 'calls' : 'stop') : 'length',
    usage: response.usage && countsOf(response.usage),
  };
}

function countsOf(counted: ResponseUsage): object {
  const { cached_tokens: cacheRead, cache_write_tokens: cacheWrite } = counted.input_tokens_details;
  return {
    fresh: counted.input_tokens - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output: counted.output_tokens,
    reasoning: counted.output_tokens_details.reasoning_tokens,
  };
}

function markOf(item: Response['output'][number]): object {
  return item.type === 'message' ? { type: item.type, phase: item.phase } : { type: item.type };
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';

import type { BlobId } from '../../src/base/ids.ts';
import type { Json, JsonObject } from '../../src/base/json.ts';
import type { AssistantMessage, Message, Reasoning, ToolOutcome } from '../../src/model/message.ts';
import { textPart } from '../../src/model/message.ts';
import type { ModelRequest, ToolSchema } from '../../src/model/provider.ts';
import { prepareOpenAiResponses } from '../../src/providers/openai-responses-request.ts';
import { callId, requestOf } from './chat-setup.ts';

const readFile: ToolSchema = {
  name: 'read_file',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

const thought = { id: 'rs_1', type: 'reasoning', encrypted_content: 'gAAAAB', summary: [] };

const wholeConversation: ModelRequest = {
  model: 'gpt-test',
  system: 'You are a test.',
  tools: [readFile],
  messages: [
    { role: 'user', parts: [textPart('read a.txt')] },
    {
      role: 'assistant',
      parts: [textPart('I will.')],
      calls: [{ id: callId('call_1'), name: 'read_file', arguments: '{"path":"a.txt"}' }],
      reasoning: { vendor: 'openai', text: '', items: [thought] },
    },
    {
      role: 'tool',
      callId: callId('call_1'),
      outcome: { type: 'done', parts: [textPart('1|hello')] },
      steering: ['and b.txt', 'please'],
    },
    { role: 'assistant', parts: [textPart('It says hello.')], calls: [] },
  ],
  toolUse: 'forbidden',
  maxOutputTokens: 500,
  cacheKey: 'ses_test',
  effort: 'high',
};

test('a whole request has exactly these bytes', () => {
  assert.equal(
    prepareOpenAiResponses(wholeConversation, 'openai'),
    '{"model":"gpt-test","stream":true,"store":false,"instructions":"You are a test.",' +
      '"tools":[{"type":"function","name":"read_file","description":"Reads a file.",' +
      '"parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]},"strict":false}],' +
      '"parallel_tool_calls":true,"include":["reasoning.encrypted_content"],"prompt_cache_key":"ses_test",' +
      '"reasoning":{"effort":"high","summary":"auto"},' +
      '"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"read a.txt"}]},' +
      '{"type":"reasoning","encrypted_content":"gAAAAB","summary":[]},' +
      '{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I will."}]},' +
      '{"type":"function_call","call_id":"call_1","name":"read_file","arguments":"{\\"path\\":\\"a.txt\\"}"},' +
      '{"type":"function_call_output","call_id":"call_1",' +
      '"output":"1|hello\\n\\n<user-message>\\nand b.txt\\nplease\\n</user-message>"},' +
      '{"type":"message","role":"assistant","content":[{"type":"output_text","text":"It says hello."}]}],' +
      '"max_output_tokens":500,"tool_choice":"none"}',
  );
});

test('a request without system, tools and effort has no fields for them, nor one that forbids tools', () => {
  const body = prepareOpenAiResponses(requestOf({ system: '', toolUse: 'forbidden' }), 'openai');

  assert.deepEqual(Object.keys(JSON.parse(body) as object), [
    'model',
    'stream',
    'store',
    'include',
    'prompt_cache_key',
    'input',
  ]);
});

test('models that do not reason are not asked for encrypted reasoning, which they refuse', () => {
  const table: Readonly<Record<string, boolean>> = {
    'gpt-4o': false,
    'gpt-4.1-mini': false,
    'openai/gpt-4o': false,
    'gpt-5-chat-latest': false,
    'chatgpt-4o-latest': false,
    'gpt-5.4': true,
    'gpt-5.3-codex': true,
    'o4-mini': true,
    'gpt-oss-120b': true,
    'grok-4.5': true,
  };
  for (const [model, expected] of Object.entries(table)) {
    assert.equal(prepareOpenAiResponses(requestOf({ model }), 'x').includes('"include":'), expected, model);
  }
});

test('reasoning goes back before what followed it, and only to the vendor that made it', () => {
  const message = answer({ text: 'So.', calls: ['a'], items: [thought, { ...thought, id: 'rs_2' }] });

  const { id: _id, ...sent } = thought;
  assert.deepEqual(inputOf([message], 'openai').map(typeOf), ['reasoning', 'reasoning', 'message', 'function_call']);
  assert.deepEqual(inputOf([message], 'openai').slice(0, 2), [sent, sent]);
  assert.deepEqual(inputOf([message], 'xai').map(typeOf), ['message', 'function_call']);
});

test('an answer in an order of its own goes back in that order, with the phases of its messages', () => {
  const items = [thought, { type: 'message', phase: 'commentary' }, { type: 'function_call' }, thought];
  const message = { ...answer({ calls: ['a', 'b'], items }), parts: [textPart('Hm.'), textPart('Well.')] };

  const sent = inputOf([message], 'openai');
  assert.deepEqual(
    sent.map((item) => [typeOf(item), item['phase'] ?? item['call_id'] ?? '']),
    [
      ['reasoning', ''],
      ['message', 'commentary'],
      ['function_call', 'a'],
      ['reasoning', ''],
      ['message', ''],
      ['function_call', 'b'],
    ],
  );
  assert.deepEqual([textIn(sent[1]), textIn(sent[4])], ['Hm.', 'Well.']);
});

test('an answer of nothing but reasoning is followed by an empty message', () => {
  const empty = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: '' }] };
  const { id: _id, ...sent } = thought;

  assert.deepEqual(inputOf([answer({ items: [thought] })], 'openai'), [sent, empty]);
  assert.deepEqual(inputOf([answer({ items: [thought] })], 'xai'), [empty]);
  assert.deepEqual(inputOf([answer({ items: [thought, { type: 'function_call' }] })], 'openai'), [sent, empty]);
});

test('reasoning without its content, and what another protocol kept, do not go out', () => {
  const kept: readonly Json[] = [
    { id: 'rs', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: null },
    { id: 'rs', type: 'reasoning', summary: [] },
    { id: 'rs', type: 'reasoning', summary: [], encrypted_content: '' },
    { type: 'thinking', thinking: 'Hm.', signature: 'x' },
    'text',
    null,
  ];
  const plain = { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] };

  assert.deepEqual(inputOf([answer({ text: 'So.', items: kept })], 'openai').map(typeOf), ['message']);
  assert.deepEqual(inputOf([answer({ text: 'So.', items: [plain] })], 'openai')[0], plain);
});

test('what can change from one request to the next comes behind the input', () => {
  const before = prepareOpenAiResponses(wholeConversation, 'openai');
  const after = prepareOpenAiResponses({ ...wholeConversation, maxOutputTokens: 9000, toolUse: 'allowed' }, 'openai');

  assert.equal(sharedPart(before), sharedPart(after));
});

test('each request of a growing conversation begins with all of the one before, and is in order in itself', () => {
  fc.assert(
    fc.property(
      fc.array(turns, { minLength: 1, maxLength: 6 }),
      fc.array(tools, { maxLength: 3 }),
      anyText,
      fc.constantFrom(undefined, 'low', 'high'),
      (conversation, offered, system, effort) => {
        const requests = requestsOf(conversation.flat(2));
        const bodies = requests.map((messages, index) =>
          prepareOpenAiResponses(
            requestOf({
              system,
              tools: offered,
              messages,
              effort,
              maxOutputTokens: index % 2 === 0 ? 7 : undefined,
              lastAnswerId: `resp_${index}`,
            }),
            'openai',
            'asked-for',
          ),
        );
        for (const [index, body] of bodies.entries()) {
          assert.equal(body.isWellFormed(), true);
          checkOrder((JSON.parse(body) as { input: JsonObject[] }).input);
          if (index > 0) assert.equal(body.startsWith(sharedPart(bodies[index - 1] ?? '')), true);
        }
      },
    ),
    { numRuns: 200, seed: 20_26 },
  );
});

/** What the server demands: a call before its result, a result for each call, and something after each thought. */
function checkOrder(input: readonly JsonObject[]): void {
  const called: Json[] = [];
  const answered: Json[] = [];
  for (const [index, item] of input.entries()) {
    const id = item['call_id'] ?? null;
    if (typeOf(item) === 'function_call') called.push(id);
    if (typeOf(item) === 'function_call_output') {
      assert.equal(called.includes(id) && !answered.includes(id), true, 'a result without its call');
      answered.push(id);
    }
    if (typeOf(item) === 'reasoning') {
      const next = input[index + 1];
      assert.equal('id' in item, false);
      assert.equal(next !== undefined && ['reasoning', 'message', 'function_call'].includes(typeOf(next)), true);
      assert.notEqual(next?.['role'], 'user');
    }
  }
  assert.deepEqual(answered, called);
}

/** The messages as they are at each point where a model is asked: whenever the newest is the user's or the last result. */
function requestsOf(messages: readonly Message[]): readonly (readonly Message[])[] {
  return messages.flatMap((message, index) => {
    const isAsked = message.role !== 'assistant' && messages[index + 1]?.role !== 'tool';
    return isAsked ? [messages.slice(0, index + 1)] : [];
  });
}

const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constant('\ud800'),
  fc.constant('"]}\n\\u0000'),
);
const parts = fc.array(
  fc.oneof(
    anyText.map(textPart),
    fc.record({
      type: fc.constant('blob' as const),
      blob: fc.constant('b1' as BlobId),
      mediaType: fc.constant('text/plain'),
      characters: fc.nat(),
    }),
  ),
  { maxLength: 3 },
);
const items: fc.Arbitrary<Json> = fc.oneof(
  fc.record({
    id: fc.string(),
    type: fc.constant('reasoning'),
    summary: fc.array(fc.record({ type: fc.constant('summary_text'), text: anyText }), { maxLength: 2 }),
    encrypted_content: fc.oneof(fc.string({ minLength: 1 }), fc.constant(null)),
  }),
  fc.record({ type: fc.constant('message'), phase: fc.constantFrom('commentary', 'final_answer') }),
  fc.constant({ type: 'function_call' }),
  fc.constant({ type: 'thinking' }),
);
const reasonings: fc.Arbitrary<Reasoning> = fc.record({
  vendor: fc.constantFrom('openai', 'openai', 'anthropic'),
  text: anyText,
  items: fc.array(items, { maxLength: 5 }),
});
const outcomes: fc.Arbitrary<ToolOutcome> = fc.oneof(
  fc.record({ type: fc.constant('done' as const), parts }),
  fc.record({ type: fc.constant('refused' as const), reason: anyText }),
  fc.record({ type: fc.constant('failed' as const), message: anyText }),
  fc.record({ type: fc.constant('interrupted' as const) }),
  fc.record({ type: fc.constant('unknown' as const), lastSeen: anyText }),
);
const someCalls = fc.uniqueArray(
  fc.record({
    id: fc.uuid().map(callId),
    name: fc.string(),
    arguments: fc.oneof(anyText, fc.json(), fc.constant('{"a":"\\ud800"}')),
  }),
  { maxLength: 3, selector: (call) => call.id },
);
/** An answer and the results of its calls. */
const steps: fc.Arbitrary<readonly Message[]> = fc
  .tuple(parts, someCalls, fc.option(reasonings), fc.array(fc.tuple(outcomes, fc.array(anyText, { maxLength: 2 }))))
  .map(([said, calls, reasoning, results]) => [
    { role: 'assistant', parts: said, calls, ...(reasoning === null ? {} : { reasoning }) },
    ...calls.map((call, index): Message => {
      const [outcome, steering] = results[index] ?? [{ type: 'interrupted' }, []];
      return { role: 'tool', callId: call.id, outcome, steering };
    }),
  ]);
const turns = fc
  .tuple(parts, fc.array(steps, { maxLength: 3 }))
  .map(([said, all]): readonly (readonly Message[])[] => [[{ role: 'user', parts: said }], ...all]);
const tools = fc.record({
  name: fc.string(),
  description: anyText,
  parameters: fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true }),
});

function answer(said: {
  readonly text?: string;
  readonly calls?: readonly string[];
  readonly items: readonly Json[];
}): AssistantMessage {
  return {
    role: 'assistant',
    parts: said.text === undefined ? [] : [textPart(said.text)],
    calls: (said.calls ?? []).map((id) => ({ id: callId(id), name: 'read_file', arguments: '{}' })),
    reasoning: { vendor: 'openai', text: '', items: said.items },
  };
}

function inputOf(messages: readonly Message[], vendor: string): readonly JsonObject[] {
  const body = prepareOpenAiResponses(requestOf({ messages }), vendor);
  return (JSON.parse(body) as { input: JsonObject[] }).input;
}

function typeOf(item: JsonObject): string {
  return typeof item['type'] === 'string' ? item['type'] : '';
}

function textIn(item: JsonObject | undefined): string | undefined {
  return (item?.['content'] as unknown as { text: string }[] | undefined)?.[0]?.text;
}

/** Everything up to the `]` that closes the input: nothing behind it contains another. */
function sharedPart(body: string): string {
  return body.slice(0, body.lastIndexOf(']'));
}

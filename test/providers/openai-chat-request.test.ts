import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';

import { isJsonObject } from '../../src/base/json.ts';
import type { BlobId } from '../../src/base/ids.ts';
import type { Message } from '../../src/model/message.ts';
import { textPart } from '../../src/model/message.ts';
import type { ModelRequest, ToolSchema } from '../../src/model/provider.ts';
import { plainDialect, prepareOpenAiChat } from '../../src/providers/openai-chat-request.ts';
import { vendors } from '../../src/providers/vendors.ts';
import { callId, requestOf } from './chat-setup.ts';

const readFile: ToolSchema = {
  name: 'read_file',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

const wholeConversation: ModelRequest = {
  model: 'test-model',
  system: 'You are a test.',
  tools: [readFile],
  messages: [
    { role: 'user', parts: [textPart('read a.txt')] },
    {
      role: 'assistant',
      parts: [],
      calls: [{ id: callId('call_1'), name: 'read_file', arguments: '{"path":"a.txt"}' }],
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
  effort: undefined,
};

test('a whole request has exactly these bytes', () => {
  assert.equal(
    prepareOpenAiChat(wholeConversation),
    '{"model":"test-model","stream":true,"stream_options":{"include_usage":true},' +
      '"tools":[{"type":"function","function":{"name":"read_file","description":"Reads a file.",' +
      '"parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}}],' +
      '"messages":[{"role":"system","content":"You are a test."},{"role":"user","content":"read a.txt"},' +
      '{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function",' +
      '"function":{"name":"read_file","arguments":"{\\"path\\":\\"a.txt\\"}"}}]},' +
      '{"role":"tool","tool_call_id":"call_1",' +
      '"content":"1|hello\\n\\n<user-message>\\nand b.txt\\nplease\\n</user-message>"},' +
      '{"role":"assistant","content":"It says hello."}],"max_tokens":500,"tool_choice":"none"}',
  );
});

test('what a vendor does not accept is not sent to it', () => {
  const body = prepareOpenAiChat(wholeConversation, {
    ...plainDialect,
    limitField: 'max_completion_tokens',
    usage: 'by-itself',
    fields: { thinking: { type: 'disabled' } },
    callFields: { extra_content: 'unsigned' },
  });

  const parsed = JSON.parse(body) as Record<string, unknown>;
  assert.deepEqual(Object.keys(parsed), [
    'model',
    'stream',
    'thinking',
    'tools',
    'messages',
    'max_completion_tokens',
    'tool_choice',
  ]);
  assert.match(body, /"arguments":"[^}]*\}"\},"extra_content":"unsigned"\}/);
});

test('a request without tools has no field for them, nor one that forbids them', () => {
  const body = JSON.parse(prepareOpenAiChat(requestOf({ toolUse: 'forbidden' }))) as Record<string, unknown>;

  assert.deepEqual(Object.keys(body), ['model', 'stream', 'stream_options', 'messages']);
});

test('what can change from one request to the next comes behind the messages', () => {
  const before = prepareOpenAiChat(wholeConversation);
  const after = prepareOpenAiChat({ ...wholeConversation, maxOutputTokens: 9000, toolUse: 'allowed' });

  assert.equal(sharedPart(before), sharedPart(after));
});

test('each request of a growing conversation begins with all of the one before, whoever it is for', () => {
  fc.assert(
    fc.property(
      fc.array(messages, { maxLength: 12 }),
      fc.array(tools, { maxLength: 3 }),
      fc.string(),
      fc.constantFrom(...vendors),
      (all, offered, system, { name, dialect }) => {
        const bodies = all.map((_, end) =>
          prepareOpenAiChat(requestOf({ system, tools: offered, messages: all.slice(0, end + 1) }), dialect, name),
        );
        for (const [index, body] of bodies.entries()) {
          assert.equal(body.isWellFormed(), true);
          assert.equal(isJsonObject(JSON.parse(body)), true);
          if (index > 0) assert.equal(body.startsWith(sharedPart(bodies[index - 1] ?? '')), true);
        }
      },
    ),
    { numRuns: 200, seed: 20_26 },
  );
});

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
const calls = fc.array(
  fc.record({
    id: fc.string().map(callId),
    name: fc.string(),
    arguments: fc.oneof(anyText, fc.json(), fc.constant('{"a":"\\ud800"}')),
  }),
  { maxLength: 3 },
);
const reasoning = fc.record({
  vendor: fc.constantFrom(...vendors.map(({ name }) => name)),
  text: anyText,
  items: fc.array(
    fc.oneof(
      anyText.map((text) => ({ reasoning_content: text })),
      anyText.map((text) => ({ reasoning_details: [{ type: 'reasoning.text', text }] })),
      anyText.map((text) => ({ call: 0, fields: { extra_content: text } })),
      fc.constant('of another protocol'),
    ),
    { maxLength: 2 },
  ),
});
const outcomes = fc.oneof(
  fc.record({ type: fc.constant('done' as const), parts }),
  fc.record({ type: fc.constant('refused' as const), reason: anyText }),
  fc.record({ type: fc.constant('failed' as const), message: anyText }),
  fc.record({ type: fc.constant('interrupted' as const) }),
  fc.record({ type: fc.constant('unknown' as const), lastSeen: anyText }),
);
const messages: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constant('user' as const), parts }),
  fc.record(
    { role: fc.constant('assistant' as const), parts, calls, reasoning },
    { requiredKeys: ['role', 'parts', 'calls'] },
  ),
  fc.record({
    role: fc.constant('tool' as const),
    callId: fc.string().map(callId),
    outcome: outcomes,
    steering: fc.array(anyText, { maxLength: 2 }),
  }),
);
const tools = fc.record({
  name: fc.string(),
  description: anyText,
  parameters: fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true }),
});

/** Everything up to the `]` that closes the messages: nothing behind it contains another. */
function sharedPart(body: string): string {
  return body.slice(0, body.lastIndexOf(']'));
}

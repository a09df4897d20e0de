import assert from 'node:assert/strict';
import { test } from 'node:test';

import { textPart } from '../../src/model/message.ts';
import type { Message } from '../../src/model/message.ts';
import type { ModelRequest } from '../../src/model/provider.ts';
import { prepareAnthropicMessages } from '../../src/providers/anthropic-messages-request.ts';
import {
  assistant,
  bodyFor,
  call,
  ended,
  fiveMinutes,
  readFile,
  result,
  thoughts,
  user,
  wired,
} from './anthropic-setup.ts';
import { callId } from './chat-setup.ts';

const signed = { type: 'thinking', thinking: 'Let me look.', signature: 'sig-1' } as const;
const hidden = { type: 'redacted_thinking', data: 'opaque' } as const;
const note = { type: 'thinking', thinking: '', signature: 'sig-2' } as const;

const wholeConversation: ModelRequest = {
  model: 'claude-test',
  system: 'You are a test.',
  tools: [readFile],
  messages: [
    user('read a.txt'),
    assistant('Reading.', [call('toolu_1')], thoughts([signed])),
    result('toolu_1', '1|hello', ['and b.txt', 'please']),
    assistant('It says hello.'),
    user('thanks'),
  ],
  toolUse: 'forbidden',
  maxOutputTokens: 500,
  cacheKey: 'ses_test',
  effort: 'high',
};

test('a whole request has exactly these bytes', () => {
  assert.equal(
    prepareAnthropicMessages(wholeConversation, fiveMinutes),
    '{"model":"claude-test","stream":true,' +
      '"tools":[{"name":"read_file","description":"Reads a file.",' +
      '"input_schema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}],' +
      '"system":[{"type":"text","text":"You are a test.","cache_control":{"type":"ephemeral"}}],' +
      '"messages":[{"role":"user","content":[{"type":"text","text":"read a.txt"}]},' +
      '{"role":"assistant","content":[{"type":"thinking","thinking":"Let me look.","signature":"sig-1"},' +
      '{"type":"text","text":"Reading."},' +
      '{"type":"tool_use","id":"toolu_1","name":"read_file","input":{"path":"a.txt"}}]},' +
      '{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1",' +
      '"content":"1|hello\\n\\n<user-message>\\nand b.txt\\nplease\\n</user-message>",' +
      '"cache_control":{"type":"ephemeral"}}]},' +
      '{"role":"assistant","content":[{"type":"text","text":"It says hello.","cache_control":{"type":"ephemeral"}}]},' +
      '{"role":"user","content":[{"type":"text","text":"thanks","cache_control":{"type":"ephemeral"}}]}],' +
      '"max_tokens":500,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"high"},' +
      '"tool_choice":{"type":"none"}}',
  );
});

test('a request without system, tools or effort has no fields for them, nor one that forbids tools', () => {
  const body = bodyFor({ system: ' \n', toolUse: 'forbidden' });

  assert.deepEqual(Object.keys(body), ['model', 'stream', 'messages', 'max_tokens']);
  assert.equal(body.max_tokens, 32_000);
});

test('a beginning that is kept for an hour says so at every marker', () => {
  const body = bodyFor(wholeConversation, { cacheTtl: '1h', vendor: 'anthropic' });

  const markers = JSON.stringify(body).match(/"cache_control":\{[^}]*\}/g);
  assert.deepEqual(markers, Array(4).fill('"cache_control":{"type":"ephemeral","ttl":"1h"}'));
});

test('without a system prompt all four markers go to the newest messages', () => {
  const messages = ['a', 'b', 'c', 'd', 'e', 'f'].map((text, place) =>
    place % 2 === 0 ? user(text) : assistant(text),
  );
  const body = bodyFor({ system: '', messages });

  const marked = body.messages.map(({ content }) => content.some((block) => 'cache_control' in block));
  assert.deepEqual(marked, [false, false, true, true, true, true]);
});

test('the results of several calls, and what the user said after them, are one message with the results first', () => {
  const messages = wired([
    user('go'),
    assistant('', [call('a'), call('b')]),
    result('b', 'two'),
    user('hurry'),
    result('a', 'one'),
    user('please'),
  ]);

  assert.deepEqual(messages.slice(2), [
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'b', content: 'two' },
        { type: 'tool_result', tool_use_id: 'a', content: 'one' },
        { type: 'text', text: 'hurry' },
        { type: 'text', text: 'please' },
      ],
    },
  ]);
});

test('neighbours of the same role become one message', () => {
  assert.deepEqual(wired([user('a'), user('b'), assistant('c'), assistant('d'), user('e')]), [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'c' },
        { type: 'text', text: 'd' },
      ],
    },
    { role: 'user', content: [{ type: 'text', text: 'e' }] },
  ]);
});

test('blank text is never sent: an answer without words is left out, and the user has a mark instead', () => {
  const messages = wired([
    user('go'),
    assistant(' \n'),
    user('   '),
    assistant('  ', [call('a')]),
    result('a', '\n'),
    { role: 'user', parts: [] },
  ]);

  assert.deepEqual(messages, [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'go' },
        { type: 'text', text: '(nothing)' },
      ],
    },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read_file', input: { path: 'a.txt' } }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a' },
        { type: 'text', text: '(nothing)' },
      ],
    },
  ]);
});

test('a conversation that begins with an answer gets a first word of the user', () => {
  assert.deepEqual(
    wired([assistant('Where were we?'), user('here')]).map(({ role }) => role),
    ['user', 'assistant', 'user'],
  );
});

test('a call without a result and a result without a call are left out', () => {
  const messages = wired([
    result('ghost', 'boo'),
    user('go'),
    assistant('Both.', [call('a'), call('b')]),
    result('a', 'one'),
    result('a', 'again'),
    result('c', 'never asked for'),
  ]);

  assert.deepEqual(messages, [
    { role: 'user', content: [{ type: 'text', text: 'go' }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Both.' },
        { type: 'tool_use', id: 'a', name: 'read_file', input: { path: 'a.txt' } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'one' }] },
  ]);
});

test('a call that did not succeed is an error to the model', () => {
  const messages = wired([
    user('go'),
    assistant('', [call('a'), call('b'), call('c'), call('d')]),
    ended('a', { type: 'failed', message: 'no such file' }),
    ended('b', { type: 'refused', reason: 'not allowed' }),
    ended('c', { type: 'interrupted' }),
    ended('d', { type: 'unknown', lastSeen: 'running' }),
  ]);

  const results = messages[2]?.content.map((block) => block.type === 'tool_result' && [block.is_error, block.content]);
  assert.deepEqual(results?.[0], [true, 'ERROR: no such file']);
  assert.deepEqual(
    results?.map((entry) => entry && entry[0]),
    [true, true, true, true],
  );
});

test('ids that the API refuses are mapped, each to one of its own and the same every time', () => {
  const ids = ['functions.read:0', 'functions.read:1', 'call|1', 'ünïcode', 'x'.repeat(65), '', '\ud800', '\udbff'];

  const mapped = usesIn(callingAll(ids));
  const again = usesIn([...callingAll(ids), assistant('done'), user('more')]);
  const plain = usesIn(callingAll(['toolu_01-A_z']));

  assert.equal(new Set(mapped).size, ids.length);
  for (const id of mapped) assert.match(id, /^[A-Za-z0-9_-]{1,64}$/);
  assert.deepEqual(again, mapped);
  assert.deepEqual(resultsIn(callingAll(ids)), mapped);
  assert.deepEqual(plain, ['toolu_01-A_z']);
});

test('an id that another vendor used twice in a conversation goes out as two', () => {
  const round = [assistant('', [call('call_0')]), result('call_0', 'ok')];
  const messages = [user('go'), ...round, ...round];

  assert.equal(usesIn(messages)[0], 'call_0');
  assert.equal(new Set(usesIn(messages)).size, 2);
  assert.deepEqual(resultsIn(messages), usesIn(messages));
});

test('thoughts go back to their vendor as they came, in their old places between texts and calls', () => {
  const reasoning = thoughts([signed, { type: 'text' }, hidden, { type: 'tool_use' }, note]);
  const answer: Message = {
    role: 'assistant',
    parts: [textPart('First.'), textPart('Last.')],
    calls: [call('a'), call('b')],
    reasoning,
  };
  const messages = wired([user('go'), answer, result('a', '1'), result('b', '2')]);

  const use = { type: 'tool_use', name: 'read_file', input: { path: 'a.txt' } };
  assert.deepEqual(messages[1]?.content, [
    signed,
    { type: 'text', text: 'First.' },
    hidden,
    { ...use, id: 'a' },
    note,
    { type: 'text', text: 'Last.' },
    { ...use, id: 'b' },
  ]);
});

test('thoughts of another vendor, or in the form of another protocol, do not go out', () => {
  const others = [
    thoughts([signed], 'another'),
    thoughts([{ type: 'reasoning', encrypted_content: 'x' }, 'text', null, { type: 'thinking', thinking: 'unsigned' }]),
  ];
  for (const reasoning of others) {
    const messages = wired([user('go'), assistant('Hi.', [], reasoning), user('more')]);
    assert.deepEqual(messages[1]?.content, [{ type: 'text', text: 'Hi.' }]);
  }
});

test('thoughts that led to nothing are left out, and with them an answer that had nothing else', () => {
  const cutOff = assistant('Hm.', [], thoughts([signed, { type: 'text' }, hidden, note]));
  assert.deepEqual(wired([user('go'), cutOff, user('more')])[1]?.content, [signed, { type: 'text', text: 'Hm.' }]);

  const onlyThoughts = assistant('', [], thoughts([signed, hidden]));
  assert.deepEqual(
    wired([user('go'), onlyThoughts, user('more')]).map(({ role, content }) => [role, content.length]),
    [['user', 2]],
  );
});

test('effort is said in the words of each generation of models', () => {
  const adaptive = { type: 'adaptive', display: 'summarized' };
  const table: readonly (readonly [string, ModelRequest['effort'], object])[] = [
    ['claude-sonnet-5-5', undefined, {}],
    ['claude-sonnet-5-5', 'minimal', { thinking: adaptive, output_config: { effort: 'low' } }],
    ['claude-opus-4-6', 'low', { thinking: adaptive, output_config: { effort: 'low' } }],
    ['claude-mythos-preview', 'medium', { thinking: adaptive, output_config: { effort: 'medium' } }],
    ['anthropic/claude-sonnet-4.6', 'high', { thinking: adaptive, output_config: { effort: 'high' } }],
    ['claude-haiku-4-5-20251001', 'minimal', { thinking: { type: 'enabled', budget_tokens: 1024 } }],
    ['claude-sonnet-4-20250514', 'low', { thinking: { type: 'enabled', budget_tokens: 4000 } }],
    ['claude-3-7-sonnet-20250219', 'medium', { thinking: { type: 'enabled', budget_tokens: 8000 } }],
    ['anthropic/claude-opus-4.5', 'high', { thinking: { type: 'enabled', budget_tokens: 16_000 } }],
    ['claude-opus-4-5', undefined, {}],
  ];
  for (const [model, effort, expected] of table) {
    const { thinking, output_config } = bodyFor({ model, effort });
    const found = { ...(thinking && { thinking }), ...(output_config && { output_config }) };
    assert.deepEqual(found, expected, `${model} ${effort}`);
  }
});

test('a budget of thoughts leaves room for words, and waits where a turn was begun without thinking', () => {
  const model = 'claude-haiku-4-5';
  const thought = loopAfter(assistant('', [call('a')], thoughts([signed])));
  const unthought = loopAfter(assistant('', [call('a')]));

  assert.equal(bodyFor({ model, effort: 'high', maxOutputTokens: 500 }).max_tokens, 20_096);
  assert.equal(bodyFor({ model, effort: 'high', maxOutputTokens: 64_000 }).max_tokens, 64_000);
  assert.equal(bodyFor({ model, effort: 'high', messages: thought }).thinking?.type, 'enabled');
  assert.equal(bodyFor({ model, effort: 'high', messages: unthought }).thinking, undefined);
  assert.equal(bodyFor({ model: 'claude-opus-5', effort: 'high', messages: unthought }).thinking?.type, 'adaptive');
});

test('a schema that offers a choice at the top goes out as an object without it', () => {
  const parameters = { properties: { a: { anyOf: [{ type: 'string' }] } }, oneOf: [], anyOf: [], allOf: [] };
  const body = bodyFor({ tools: [{ name: 'odd', description: '', parameters }] });

  assert.deepEqual(body.tools, [
    { name: 'odd', input_schema: { properties: { a: { anyOf: [{ type: 'string' }] } }, type: 'object' } },
  ]);
});

function usesIn(messages: readonly Message[]): readonly string[] {
  return wired(messages).flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
  );
}

function resultsIn(messages: readonly Message[]): readonly string[] {
  return wired(messages).flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'tool_result' ? [callId(block.tool_use_id)] : [])),
  );
}

function callingAll(ids: readonly string[]): readonly Message[] {
  const calls = ids.map((id) => call(id));
  return [user('go'), assistant('', calls), ...ids.map((id) => result(id, id))];
}

/** A turn whose first answer is given and whose second one is without thoughts, as all but the first often are. */
function loopAfter(first: Message): readonly Message[] {
  return [user('go'), first, result('a', '1'), assistant('', [call('b')]), result('b', '2')];
}

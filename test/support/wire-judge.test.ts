import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, JsonObject } from '../../src/base/json.ts';
import type { ApiMode } from '../../src/model/runtime.ts';
import { isExtended, judgeRequest } from './wire-judge.ts';

interface Case {
  readonly apiMode: ApiMode;
  readonly head: JsonObject;
  /** The field that the conversation stands in. */
  readonly field: string;
  readonly valid: readonly JsonObject[];
  /** Conversations that the servers of this protocol refuse. */
  readonly refused: Readonly<Record<string, readonly JsonObject[]>>;
}

const system = { role: 'system', content: 'be brief' };
const user = { role: 'user', content: 'hello' };
const chatCall = (id: string, written = '{}'): JsonObject => ({
  id,
  type: 'function',
  function: { name: 'read_file', arguments: written },
});
const chatCalls = (...calls: readonly JsonObject[]): JsonObject => ({
  role: 'assistant',
  content: null,
  tool_calls: calls,
});
const chatResult = (id: string): JsonObject => ({ role: 'tool', tool_call_id: id, content: 'done' });

const say = (role: string, ...content: readonly JsonObject[]): JsonObject => ({ role, content });
const text = (words: string): JsonObject => ({ type: 'text', text: words });
const use = (id: string): JsonObject => ({ type: 'tool_use', id, name: 'read_file', input: {} });
const result = (id: string): JsonObject => ({ type: 'tool_result', tool_use_id: id, content: 'done' });
const thought: JsonObject = { type: 'thinking', thinking: 'hm', signature: 's' };
const marked = (block: JsonObject): JsonObject => ({ ...block, cache_control: { type: 'ephemeral' } });

const asked = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] };
const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] };
const call = (id: string, written = '{}'): JsonObject => ({
  type: 'function_call',
  call_id: id,
  name: 'read_file',
  arguments: written,
});
const output = (id: string): JsonObject => ({ type: 'function_call_output', call_id: id, output: 'done' });
const reasoning = { type: 'reasoning', summary: [], encrypted_content: 'x' };

const cases: readonly Case[] = [
  {
    apiMode: 'chat_completions',
    head: { model: 'm', stream: true },
    field: 'messages',
    valid: [system, user, chatCalls(chatCall('a'), chatCall('b')), chatResult('a'), chatResult('b')],
    refused: {
      'no system prompt': [user],
      'a call without a result': [system, user, chatCalls(chatCall('a')), user],
      'a result without a call': [system, user, chatResult('a')],
      'results in another order': [
        system,
        user,
        chatCalls(chatCall('a'), chatCall('b')),
        chatResult('b'),
        chatResult('a'),
      ],
      'an id that comes twice': [system, user, ...[1, 2].flatMap(() => [chatCalls(chatCall('a')), chatResult('a')])],
      'arguments that are no object': [system, user, chatCalls(chatCall('a', '{"x')), chatResult('a')],
      'an answer that says nothing': [system, user, { role: 'assistant', content: '' }, user],
      'an answer at the end': [system, user, { role: 'assistant', content: 'hi' }],
    },
  },
  {
    apiMode: 'anthropic_messages',
    head: { model: 'm', stream: true, system: [text('be brief')], max_tokens: 9 },
    field: 'messages',
    valid: [say('user', text('hello')), say('assistant', thought, use('a')), say('user', result('a'), text('more'))],
    refused: {
      'two messages of the user': [say('user', text('hello')), say('user', text('hello'))],
      'a use without a result': [say('user', text('hello')), say('assistant', use('a')), say('user', text('no'))],
      'a result without a use': [say('user', result('a'))],
      'a result behind a text': [
        say('user', text('hello')),
        say('assistant', use('a')),
        say('user', text('more'), result('a')),
      ],
      'an id with other characters': [
        say('user', text('hello')),
        say('assistant', use('a.b')),
        say('user', result('a.b')),
      ],
      'a blank text': [say('user', text(' '))],
      'five markers': [say('user', ...[1, 2, 3, 4, 5].map((n) => marked(text(`${n}`))))],
      'a thought at the end of an answer': [
        say('user', text('hello')),
        say('assistant', thought),
        say('user', text('x')),
      ],
    },
  },
  {
    apiMode: 'codex_responses',
    head: { model: 'm', stream: true, store: false, instructions: 'be brief' },
    field: 'input',
    valid: [asked, reasoning, call('a'), call('b'), output('a'), output('b'), reasoning, said, asked],
    refused: {
      'a call without an output': [asked, call('a'), asked],
      'an output without a call': [asked, output('a')],
      'an id that comes twice': [asked, call('a'), output('a'), call('a'), output('a')],
      'arguments that are no object': [asked, call('a', '[]'), output('a')],
      'reasoning that led to nothing': [asked, reasoning, asked],
      'reasoning by its id': [asked, { ...reasoning, id: 'rs_1' }, said, asked],
    },
  },
];

for (const { apiMode, head, field, valid, refused } of cases) {
  const judge = (conversation: readonly Json[]) =>
    judgeRequest(apiMode, JSON.stringify({ ...head, [field]: conversation }));

  test(`the judge of ${apiMode} takes what its servers take and refuses what they refuse`, () => {
    judge(valid);

    for (const [what, conversation] of Object.entries(refused))
      assert.throws(() => judge(conversation), assert.AssertionError, what);
  });

  test(`to the judge of ${apiMode} a request extends another only where it begins with all of it`, () => {
    const earlier = judge(valid);
    assert.ok(isExtended(earlier, { ...earlier, items: [...earlier.items, 'more'] }));
    assert.ok(!isExtended(earlier, { ...earlier, head: 'another' }));
    assert.ok(!isExtended(earlier, { ...earlier, items: earlier.items.slice(0, -1) }));
    assert.ok(!isExtended(earlier, { ...earlier, items: earlier.items.toReversed() }));
  });
}

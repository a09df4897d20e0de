import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallId } from '../../src/base/ids.ts';
import { describeCall } from '../../src/cli/render/describe-call.ts';
import { shownArguments } from '../../src/model/call-summary.ts';
import { callLine, callWords } from '../../src/model/call-words.ts';
import type { ToolCall } from '../../src/model/message.ts';
import { TurnTrace } from '../../src/web/turn-trace.ts';
import { answered, done, logOf, settledCall } from '../cli/support/log-entries.ts';

function browser(input: unknown): ToolCall {
  return { id: 'cal_1' as CallId, name: 'browser', arguments: JSON.stringify(input) };
}

const typing = browser({ action: 'type', ref: 'e5', text: 'hunter2' });
const masked = 'type (7 characters) into e5';

test('what is typed into a page is shown by its length, in the terminal and in the web chat', () => {
  const trace = new TurnTrace();
  const entries = [answered('', [typing]), settledCall(typing.id, done('[typed into e5]'))];
  const item = logOf(entries)
    .map((logged) => trace.take(logged))
    .at(-1);

  assert.equal(describeCall(typing), `browser  ${masked}`);
  assert.equal(item?.type === 'act' ? item.text : undefined, `✓ browser ${masked}`);
});

test('what is typed into a page is hidden in a call through the bridge, as a number, and where a call cannot be read', () => {
  const bridged = { name: 'browser', arguments: { action: 'type', ref: 'e5', text: 'hunter2' } };
  const cut = { ...typing, arguments: '{"action":"type","text":"hunt' };

  assert.equal(callWords({ ...typing, name: 'tool_call', arguments: JSON.stringify(bridged) }), masked);
  assert.equal(shownArguments(browser({ action: 'type', text: 4711 })), '{"action":"type","text":"(4 characters)"}');
  assert.equal(shownArguments(cut), '(cannot be read)');
});

test('what is written to a process is shown by its length, in the terminal, in the web chat and through the bridge', () => {
  const input = { action: 'write', id: 'proc_3', text: 'hunter2\n' };
  const call: ToolCall = { id: 'cal_1' as CallId, name: 'process', arguments: JSON.stringify(input) };
  const bridged = { ...call, name: 'tool_call', arguments: JSON.stringify({ name: 'process', arguments: input }) };
  const trace = new TurnTrace();
  const item = logOf([answered('', [call]), settledCall(call.id, done('[written]'))])
    .map((logged) => trace.take(logged))
    .at(-1);

  const words = 'write proc_3: (8 characters)';
  assert.equal(describeCall(call), `process  ${words}`);
  assert.equal(item?.type === 'act' ? item.text : undefined, `✓ process ${words}`);
  assert.equal(callWords(bridged), words);
  assert.equal(shownArguments({ ...call, arguments: '{"action":"write","text":"hunt' }), '(cannot be read)');
});

test('other acts in a browser, and other tools, are shown as they were written', () => {
  const press = browser({ action: 'press', text: 'Enter' });
  const named = { ...typing, name: 'notes' };

  assert.equal(shownArguments(press), press.arguments);
  assert.equal(callWords(browser({ action: 'open', url: 'https://example.com/' })), 'open https://example.com/');
  assert.equal(shownArguments(named), typing.arguments);
});

const sentences: readonly (readonly [string, unknown, string])[] = [
  ['process', { action: 'read', id: 'proc_3', lines: 20 }, 'process read proc_3'],
  ['process', { action: 'write', id: 'proc_3', text: 'yes\n' }, 'process write proc_3: (4 characters)'],
  ['process', { action: 'list' }, 'process list'],
  ['todo', {}, 'todo read'],
  [
    'todo',
    {
      todos: [
        { id: '1', content: 'dig', status: 'completed' },
        { id: '2', content: 'sow' },
        { id: '3', content: 'weed', status: 'cancelled' },
      ],
    },
    'todo 2 of 3 done',
  ],
  ['todo', { merge: true, todos: [{ id: '2', status: 'in_progress' }] }, 'todo mark 2 in progress'],
  ['browser', { action: 'click', ref: 'e5' }, 'browser click e5'],
  ['browser', { action: 'tab', number: 2 }, 'browser tab 2'],
  ['clarify', { question: 'Which one?', choices: ['a', 'b'] }, 'clarify Which one?'],
  ['send_message', { text: 'Done.', to: 'telegram:42' }, 'send_message to telegram:42: Done.'],
  ['mcp_notes_add', { note: 'milk' }, 'mcp_notes_add milk'],
  ['mcp_sum_add', { a: 1, b: { of: [2, 3] }, c: null }, 'mcp_sum_add a: 1, b: of 2, 3, c: nothing'],
  ['tool_call', { name: 'mcp_sum_add', arguments: { a: 1, b: true } }, 'mcp_sum_add a: 1, b: true'],
];

for (const [name, input, line] of sentences) {
  test(`a person reads a call as "${line}", without the signs of JSON`, () => {
    assert.equal(callLine({ id: 'cal_1' as CallId, name, arguments: JSON.stringify(input) }, 80), line);
  });
}

test('a call is one line, cut where it is too long', () => {
  const call = { ...typing, name: 'terminal', arguments: JSON.stringify({ command: 'one\n two three' }) };

  assert.equal(callLine(call, 16), 'terminal one tw…');
});

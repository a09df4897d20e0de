import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallId } from '../../../src/base/ids.ts';
import { PiecePrinter } from '../../../src/cli/render/piece-printer.ts';
import { shortDiff } from '../../../src/cli/render/short-diff.ts';
import type { DiffLine } from '../../../src/cli/render/short-diff.ts';
import { chooseStyle } from '../../../src/cli/render/style.ts';
import { textPart } from '../../../src/model/message.ts';
import type { ToolCall, ToolOutcome } from '../../../src/model/message.ts';

function call(name: string, input: object): ToolCall {
  return { id: 'call_1' as CallId, name, arguments: JSON.stringify(input) };
}

function done(text: string): ToolOutcome {
  return { type: 'done', parts: [textPart(text)] };
}

function signed(lines: readonly DiffLine[]): readonly string[] {
  return lines.map(({ type, text }) => `${{ added: '+', removed: '-', between: ' ' }[type]}${text}`);
}

const patched = [
  'patched /home/me/a.txt 2 times',
  '--- /home/me/a.txt',
  '+++ /home/me/a.txt',
  '@@ -1,3 +1,3 @@',
  ' before',
  '-one',
  '+two',
  '@@ -9,2 +9,2 @@',
  '---- a rule',
  '+@@ not a hunk @@',
  '\\ No newline at end of file',
].join('\n');

test('a patch shows its changed lines, and what was left out between them', () => {
  const lines = shortDiff(call('patch', { path: 'a.txt' }), done(patched));

  assert.deepEqual(signed(lines), ['-one', '+two', ' …', '---- a rule', '+@@ not a hunk @@']);
});

test('a file that was written shows its first lines; what is not done and what writes nothing shows none', () => {
  const content = Array.from({ length: 40 }, (_, index) => `line ${index + 1}\n`).join('');
  const short = shortDiff(call('write_file', { path: 'a', content: 'x\ny\n' }), done('created a (4 bytes)'));
  const long = signed(shortDiff(call('write_file', { path: 'a', content }), done('created a')));

  assert.deepEqual(signed(short), ['+x', '+y']);
  assert.equal(long.length, 12);
  assert.deepEqual(long.slice(-2), ['+line 11', ' … and 29 more lines']);
  assert.deepEqual(shortDiff(call('write_file', { content }), { type: 'failed', message: 'no' }), []);
  assert.deepEqual(shortDiff(call('terminal', { command: 'ls' }), done(patched)), []);
});

test('a diff is painted as the screen allows, cannot drive it, and is left out where nobody asked for it', () => {
  const lines: readonly DiffLine[] = [
    { type: 'removed', text: '\tone\u001b[2J' },
    { type: 'added', text: 'a line that is much too long' },
  ];
  const print = (env: Readonly<Record<string, string>>, diffs: { readonly diffs?: 'shown' }): string => {
    let printed = '';
    const write = (text: string): void => void (printed += text);
    const style = chooseStyle({ isTerminal: true, env });
    const printer = new PiecePrinter({ speech: write, notes: write, style, columns: () => 20, ...diffs });
    printer.print({ type: 'diff', lines });
    return printed;
  };

  const plain = '    -   one␛[2J\n    + a line that i…\n';
  const [removed = '', added = ''] = plain.split('\n');
  assert.equal(print({}, { diffs: 'shown' }), `\u001b[31m${removed}\u001b[39m\n\u001b[32m${added}\u001b[39m\n`);
  assert.equal(print({ NO_COLOR: '1' }, { diffs: 'shown' }), plain);
  assert.equal(print({ TERM: 'dumb' }, { diffs: 'shown' }), plain);
  assert.equal(print({}, {}), '');
});

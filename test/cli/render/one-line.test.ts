import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeAge } from '../../../src/cli/render/age.ts';
import { describeCall } from '../../../src/cli/render/describe-call.ts';
import { clip, firstLine, fitColumns, oneLine } from '../../../src/cli/render/one-line.ts';
import type { CallId } from '../../../src/base/ids.ts';

test('a text of several lines becomes one, and what is cut off is marked', () => {
  assert.equal(oneLine('  one\n\n two\tthree ', 40), 'one ⏎ two three');
  assert.equal(oneLine('one two three', 8), 'one two…');
  assert.equal(clip('日本語テキスト', 4), '日本語…');
});

test('a text is cut where the columns end, however wide its characters are', () => {
  assert.equal(fitColumns('one two', 7), 'one two');
  assert.equal(fitColumns('one two three', 8), 'one two…');
  assert.equal(fitColumns('one two three', 5), 'one…');
  assert.equal(fitColumns('日本語テキスト', 6), '日本…');
});

test('of a long output the first line that says something is shown, and that there is more', () => {
  assert.equal(firstLine('\n\n  first\nsecond\n', 40), 'first …');
  assert.equal(firstLine('only\n\n', 40), 'only');
  assert.equal(firstLine('', 40), '');
});

const calls: readonly (readonly [string, string, string])[] = [
  ['terminal', '{"command":"uname -a","timeout":5}', 'terminal  uname -a'],
  ['terminal', '{"command":"one\\ntwo"}', 'terminal  one ⏎ two'],
  ['write_file', '{"content":"long","path":"a.txt"}', 'write_file  a.txt'],
  ['strange', '{"a":1}', 'strange  a: 1'],
  ['strange', '{}', 'strange'],
  ['broken', '{"a', 'broken  {"a'],
  ['terminal', '{"command":"\\u001b[2J"}', 'terminal  ␛[2J'],
];

for (const [name, args, text] of calls) {
  test(`a call of ${name} with ${args} is shown as "${text}"`, () => {
    assert.equal(describeCall({ id: 'c1' as CallId, name, arguments: args }), text);
  });
}

test('ages are one short word, and old things have a date', () => {
  const now = Date.UTC(2026, 5, 30);
  const ages = [0, 59_000, 60_000, 3_600_000, 86_400_000, 29 * 86_400_000, 31 * 86_400_000];

  assert.deepEqual(
    ages.map((ago) => describeAge(now - ago, now)),
    ['now', 'now', '1 min', '1 h', '1 d', '29 d', '2026-05-30'],
  );
});

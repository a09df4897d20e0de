import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeVisible, neutralise } from '../../../src/cli/render/neutralise.ts';

const cases: readonly (readonly [string, string, string, string])[] = [
  ['plain text with tabs and lines', 'a\tb\nc', 'a\tb\nc', 'a\tb\nc'],
  ['letters of any script and emoji', 'naïve 日本 👍', 'naïve 日本 👍', 'naïve 日本 👍'],
  ['an escape sequence', '\u001b[2Jgone', '␛[2Jgone', '␛[2Jgone'],
  ['a bell and a backspace', 'a\u0007\b', 'a␇␈', 'a␇␈'],
  ['a deletion', 'a\u007f', 'a␡', 'a␡'],
  ['a control character of eight bits', '\u009b31m', '<U+009B>31m', '<U+009B>31m'],
  ['a carriage return', 'rm -rf /\recho hi', 'rm -rf /echo hi', 'rm -rf /␍echo hi'],
  ['a line end of Windows', 'a\r\nb', 'a\nb', 'a␍\nb'],
  ['a change of direction', 'a\u202eb', 'ab', 'a<U+202E>b'],
  ['a character without width', 'a\u200bb', 'a\u200bb', 'a<U+200B>b'],
  ['a space that is not the space', 'rm\u00a0x', 'rm\u00a0x', 'rm<U+00A0>x'],
  ['a tag character', 'a\u{e0041}', 'a\u{e0041}', 'a<U+E0041>'],
];

for (const [what, text, shown, spelled] of cases) {
  test(`${what} cannot drive the terminal, and is spelled out where somebody has to judge it`, () => {
    assert.equal(neutralise(text), shown);
    assert.equal(makeVisible(text), spelled);
  });
}

test('a stream that is neutralised piece by piece reads the same as the whole', () => {
  const text = 'one\r\n\u001b[31mtwo\u001b[0m\r\n日本';

  assert.equal(Array.from(text, neutralise).join(''), neutralise(text));
});

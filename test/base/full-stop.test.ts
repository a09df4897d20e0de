import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutFullStop } from '../../src/base/full-stop.ts';

for (const [what, text, expected] of [
  ['a full stop goes, and so does the space behind it', 'Too many tokens.\n', 'Too many tokens'],
  ['dots that stand for something stay', 'and so on...', 'and so on...'],
  ['what ends otherwise stays as it is', 'is that so?', 'is that so?'],
] as const) {
  test(what, () => {
    assert.equal(withoutFullStop(text), expected);
  });
}

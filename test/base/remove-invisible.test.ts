import assert from 'node:assert/strict';
import { test } from 'node:test';
import { removeInvisible } from '../../src/base/remove-invisible.ts';

const tagged = Array.from('ignore all', (letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join(
  '',
);

const hidden: readonly (readonly [what: string, text: string, clean: string, removed: number])[] = [
  ['text in tag characters', `Use tabs.${tagged}`, 'Use tabs.', 10],
  ['marks that turn the direction', 'a\u202Eb\u2066c\u2069\u200F', 'abc', 4],
  ['spaces without width', 'r\u200Bm\u2060 \uFEFF-rf', 'rm -rf', 3],
  ['control characters and escapes', 'a\u0000b\u001B[2Kc\u0085', 'ab[2Kc', 3],
  ['bytes hidden in variation selectors', 'hi\uFE00\uFE01\u{E0101}\u{E01EF}', 'hi', 4],
  ['selectors behind what is no emoji', 'a\uFE0Fb', 'ab', 1],
  ['joiners in Latin text', 'pay\u200Dpal \u200C', 'paypal ', 2],
  ['a run of joiners behind an emoji', '👩\u200D\u200D\u200D🚀', '👩\u200D🚀', 2],
  ['fillers that look like nothing', 'a\u3164b\u115Fc\u00AD', 'abc', 3],
];

for (const [what, text, clean, removed] of hidden) {
  test(`${what} are taken out and counted`, () => {
    assert.deepEqual(removeInvisible(text), { text: clean, removed });
  });
}

const visible: readonly (readonly [what: string, text: string])[] = [
  ['plain text with tabs and lines', '# Rules\n\n\t- use tabs — “always”\n'],
  ['emoji of several parts', '👩‍🚀 👍🏽 ❤️ 1️⃣ 👨‍👩‍👧‍👦 🏳️‍🌈'],
  ['Persian and Hindi with their joiners', 'می‌خواهم क्‍ष'],
  ['Chinese, Arabic and Hebrew', '使用制表符 استخدم שלום'],
];

for (const [what, text] of visible) {
  test(`${what} stay as they are`, () => {
    assert.deepEqual(removeInvisible(text), { text, removed: 0 });
  });
}

test('a mark at the beginning of a file and the line ends of Windows are no secret, and do not count', () => {
  assert.deepEqual(removeInvisible('\uFEFFone\r\ntwo\rthree'), { text: 'one\ntwo\nthree', removed: 0 });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wrapColumns, wrapWords } from '../../../src/cli/render/wrap-words.ts';

const text = 'Type a message. /help lists the commands, Ctrl-C stops, Ctrl-D leaves.';

for (const columns of [20, 40, 60, 100]) {
  test(`at ${columns} columns no line is too long, no word is broken, and none is lost`, () => {
    const lines = wrapWords(text, columns).split('\n');

    assert.deepEqual(
      lines.filter((line) => line.length > columns),
      [],
    );
    assert.equal(lines.join(' '), text);
    assert.equal(lines.length >= text.length / columns, true);
  });
}

const cases: readonly { readonly title: string; readonly given: [string, number | undefined]; readonly is: string }[] =
  [
    { title: 'a line that just fits stays whole', given: ['four five', 9], is: 'four five' },
    { title: 'a line that is one too long is broken', given: ['four fives', 9], is: 'four\nfives' },
    {
      title: 'a word longer than the screen is left whole',
      given: ['see /a/long/path/here now', 8],
      is: 'see\n/a/long/path/here\nnow',
    },
    {
      title: 'lines that were there stay, with what they begin with',
      given: ['  one\n\n  two', 5],
      is: '  one\n\n  two',
    },
    { title: 'columns set apart by spaces stay where they fit', given: ['/new   begin', 20], is: '/new   begin' },
    { title: 'a letter counts once, however it is encoded', given: ['𝒜𝒜 𝒜𝒜', 5], is: '𝒜𝒜 𝒜𝒜' },
    { title: 'a character of two columns counts as two', given: ['漢字 漢字', 8], is: '漢字\n漢字' },
    { title: 'where the width is not known nothing is broken', given: ['one two', undefined], is: 'one two' },
  ];

for (const { title, given, is } of cases) test(title, () => assert.equal(wrapWords(...given), is));

test('a line that stands in columns goes on below its last one', () => {
  assert.equal(
    wrapColumns('Talk\n  /queue [TEXT]  wait for the running turn; without a text: always\n  /stop          stop', 44),
    'Talk\n  /queue [TEXT]  wait for the running turn;\n                 without a text: always\n  /stop          stop',
  );
});

test('where columns leave no room, the last one stands below the first, a little further in', () => {
  assert.equal(wrapColumns('  /queue [TEXT]  wait for the turn', 30), '  /queue [TEXT]\n      wait for the turn');
});

test('a list of choices that no line can hold is broken behind a bar', () => {
  assert.equal(wrapColumns('  model [list|set|check|refresh]', 16), '  model [list|\n  set|check|\n  refresh]');
});

test('a text without columns is broken as any other', () => {
  assert.equal(wrapColumns(text, 40), wrapWords(text, 40));
});

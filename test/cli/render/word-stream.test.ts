import assert from 'node:assert/strict';
import { test } from 'node:test';
import { displayWidth } from '../../../src/cli/render/display-width.ts';
import { WordStream } from '../../../src/cli/render/word-stream.ts';

const answer = `The quick brown fox jumps over the lazy dog, and then some more of it.

- a list whose first entry is longer than the line is wide
    indented four, and so it may be code that must stay as it is

\`\`\`sh
echo this line of code is much longer than the terminal is wide && echo done
~~~
\`\`\`
| a | table | whose | rows | are | left | as | they | are |
See https://example.org/a/very/long/address/that/fits/nowhere, please; 漢字かな混じりの文も折り返される。
Behind it the text goes on as before, with 😀 pictures and e\u0301 accents.`;

/** All that is printed of a text that comes in these pieces. */
function stream(pieces: Iterable<string>, columns: number | undefined): string {
  const words = new WordStream(() => columns);
  let printed = '';
  for (const piece of pieces) printed += words.take(piece);
  return printed + words.end();
}

function piecesOf(text: string, size: number): readonly string[] {
  return text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
}

for (const columns of [1, 12, 24, 40, 80]) {
  test(`at ${columns} columns it does not matter in which pieces a text comes`, () => {
    const whole = stream([answer], columns);

    for (const size of [1, 2, 3, 7, 20]) assert.equal(stream(piecesOf(answer, size), columns), whole);
  });
}

test('no line of prose is wider than the terminal, no word is broken, and nothing is lost', () => {
  const prose = 'The quick brown fox jumps over the lazy dog, 漢字かな混じりの文 and 😀 pictures.';

  for (const columns of [12, 20, 40]) {
    const lines = stream([prose], columns).split('\n');
    assert.deepEqual(
      lines.filter((line) => displayWidth(line) > columns),
      [],
    );
    assert.equal(lines.join('').replaceAll(' ', ''), prose.replaceAll(' ', ''));
    for (const word of ['quick', 'brown', 'jumps', 'pictures.'])
      assert.ok(
        lines.some((line) => line.split(' ').includes(word)),
        word,
      );
  }
});

const cases: readonly { readonly title: string; readonly text: string; readonly is: string; readonly at?: number }[] = [
  { title: 'a line that just fits stays whole', text: 'four five', is: 'four five' },
  { title: 'a line that is one too long is broken', text: 'four fives', is: 'four\nfives' },
  { title: 'lines that were there stay, with what they begin with', text: '  one\n\n  two', is: '  one\n\n  two' },
  {
    title: 'a word longer than a line begins on a line of its own and is left whole',
    text: 'see /a/long/path/here now',
    is: 'see\n/a/long/path/here\nnow',
  },
  { title: 'a character of two columns counts as two', text: '漢字漢字漢', is: '漢字漢字\n漢' },
  {
    title: 'an accent of its own takes no room',
    text: 'e\u0301e\u0301e\u0301e\u0301 five',
    is: 'e\u0301e\u0301e\u0301e\u0301 five',
  },
  { title: 'a picture of several is not taken apart', text: 'one two 👨‍👩‍👧', is: 'one two\n👨‍👩‍👧' },
  { title: 'a space that does not break is no place to break', text: 'one a\u00a0bcde', is: 'one\na\u00a0bcde' },
  {
    title: 'a block of code is left as it is',
    text: '```\na b c d e f\n```\na b c d e f',
    is: '```\na b c d e f\n```\na b c d e\nf',
  },
  {
    title: 'a shorter fence does not end a block',
    text: '````\n```\na b c d e f\n````',
    is: '````\n```\na b c d e f\n````',
  },
  { title: 'code in the middle of a line is prose', text: 'a `b c d` e', is: 'a `b c d`\ne' },
  { title: 'three backticks around a word open no block', text: '```a```\na b c d e f', is: '```a```\na b c d e\nf' },
  { title: 'an indented line is left as it is', text: '    a b c d e f', is: '    a b c d e f' },
  { title: 'the row of a table is left as it is', text: '| a | b | c |', is: '| a | b | c |' },
];

for (const { title, text, is } of cases) {
  test(title, () => {
    assert.equal(stream([text], 9), is);
    assert.equal(stream(piecesOf(text, 1), 9), is);
  });
}

test('where the width is not known everything is printed as it comes', () => {
  const words = new WordStream(() => undefined);

  assert.deepEqual(
    ['one ', 'tw', 'o\n'].map((piece) => words.take(piece)),
    ['one ', 'tw', 'o\n'],
  );
});

test('no more is held back than the word that is coming, and of a word longer than a line nothing', () => {
  const words = new WordStream(() => 9);

  const printed = ['one', ' ', 'two', ' thr', 'ee', '\n', 'abcdefgh', 'ij', 'kl'].map((piece) => words.take(piece));

  assert.deepEqual(printed, ['', 'one', '', ' two', '', '\nthree\n', '', 'abcdefghij', 'kl']);
});

test('after a pause the text goes on at the beginning of a line, in the block that it was in', () => {
  const words = new WordStream(() => 9);

  const prose = [words.take('one tw'), words.pause(), words.take('o three four')];
  const code = [words.end(), words.take('```\na b c'), words.pause(), words.take(' d e f g h\n```\na b c d e f')];

  assert.deepEqual(prose, ['one', ' tw', 'o three']);
  assert.deepEqual(code, ['\nfour', '```\na b c', '', ' d e f g h\n```\na b c d e']);
});

test('another text begins outside of any block', () => {
  const words = new WordStream(() => 9);
  words.take('```\nunfinished');

  const held = words.end();

  assert.equal(held + words.take('a b c d e f') + words.end(), 'a b c d e\nf');
});

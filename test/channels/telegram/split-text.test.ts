import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { renderMarkdown } from '../../../src/channels/telegram/markdown.ts';
import { plainText } from '../../../src/channels/telegram/rich-text.ts';
import { splitRichText } from '../../../src/channels/telegram/split-text.ts';
import { checkText } from '../../support/telegram-server-text.ts';

function split(text: string, limit: number): readonly string[] {
  return splitRichText(plainText(text), limit).map((piece) => piece.text);
}

function bare(text: string): string {
  return text.replaceAll(/\s/g, '');
}

test('a text that fits is one piece', () => {
  assert.deepEqual(split('one two', 7), ['one two']);
});

test('a text is cut between paragraphs rather than lines', () => {
  assert.deepEqual(split('one\ntwo three\n\nfour\nfive', 19), ['one\ntwo three', 'four\nfive']);
});

test('a text is cut between lines rather than sentences', () => {
  assert.deepEqual(split('One. Two.\nThree. Four.', 18), ['One. Two.', 'Three. Four.']);
});

test('a text is cut between sentences rather than words', () => {
  assert.deepEqual(split('One two three. Four five six', 20), ['One two three.', 'Four five six']);
});

test('a text is cut between words rather than in one', () => {
  assert.deepEqual(split('one two three four', 12), ['one two', 'three four']);
});

test('an early break is worse than a later one of a lesser kind', () => {
  assert.deepEqual(split('a\n\nbb cc dd ee ff gg', 18), ['a\n\nbb cc dd ee ff', 'gg']);
});

test('a word that is too long is cut between symbols, and no symbol is cut', () => {
  assert.deepEqual(split('abcdefgh', 3), ['abc', 'def', 'gh']);
  assert.deepEqual(split('😀😀😀', 3), ['😀', '😀', '😀']);
  assert.deepEqual(split(`ab${'👩‍👩‍👧'.repeat(2)}`, 9), ['ab', '👩‍👩‍👧', '👩‍👩‍👧']);
});

test('code is cut between its lines, is code on both sides, and keeps its indentation', () => {
  const rich = renderMarkdown('```js\nif (a) {\n    b();\n    c();\n}\n```');

  const pieces = splitRichText(rich, 20);

  assert.deepEqual(pieces, [
    { text: 'if (a) {\n    b();', entities: [{ type: 'pre', language: 'js', offset: 0, length: 17 }] },
    { text: '    c();\n}', entities: [{ type: 'pre', language: 'js', offset: 0, length: 10 }] },
  ]);
});

test('a text is cut before its code rather than in it', () => {
  const pieces = splitRichText(renderMarkdown('Some words before.\n\n```\na\n\nb\nc\n```'), 23);

  assert.deepEqual(
    pieces.map(({ text }) => text),
    ['Some words before.', 'a\n\nb\nc'],
  );
});

test('a style that is cut goes on in the next piece', () => {
  assert.deepEqual(splitRichText(renderMarkdown('**one two**'), 5), [
    { text: 'one', entities: [{ type: 'bold', offset: 0, length: 3 }] },
    { text: 'two', entities: [{ type: 'bold', offset: 0, length: 3 }] },
  ]);
});

test('a piece has no more styles than Telegram shows', () => {
  const rich = renderMarkdown('**a** b '.repeat(250));

  const pieces = splitRichText(rich, 4000);

  assert.ok(pieces.every(({ entities }) => entities.length <= 100));
  assert.equal(pieces.flatMap(({ entities }) => entities).length, 250);
});

test('whatever is split, each piece can be sent and nothing but white space is lost', () => {
  const scraps = fc.constantFrom(
    'word',
    ' ',
    '\n',
    '\n\n',
    '. ',
    '😀',
    '👩‍👩‍👧',
    '**bold**',
    '`code`',
    '```\ncode\n  more\n```\n',
  );
  const anyText = fc.array(scraps, { maxLength: 80 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(anyText, fc.integer({ min: 4, max: 60 }), (source, limit) => {
      const rich = renderMarkdown(source);
      const pieces = splitRichText(rich, limit);
      for (const { text, entities } of pieces) {
        assert.ok(text.length <= limit);
        checkText(text, entities);
      }
      assert.equal(bare(pieces.map(({ text }) => text).join('')), bare(rich.text));
    }),
    { numRuns: 1000 },
  );
});

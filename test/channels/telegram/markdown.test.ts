import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { MessageEntity } from 'grammy/types';
import * as fc from 'fast-check';
import { layOut } from '../../../src/channels/telegram/lay-out.ts';
import { renderMarkdown } from '../../../src/channels/telegram/markdown.ts';
import { checkText } from '../../support/telegram-server-text.ts';

/** A rendered text with its styles made visible: `<bold>…</bold>`. */
function shown(source: string): string {
  const { text, entities } = renderMarkdown(source);
  const marks = entities.flatMap((entity, order) => [
    { at: entity.offset, rank: order, mark: `<${describeStyle(entity)}>` },
    { at: entity.offset + entity.length, rank: -1 - order, mark: `</${entity.type}>` },
  ]);
  const sorted = marks.toSorted((left, right) => right.at - left.at || right.rank - left.rank);
  return sorted.reduce((result, { at, mark }) => result.slice(0, at) + mark + result.slice(at), text);
}

function describeStyle(entity: MessageEntity): string {
  if (entity.type === 'text_link') return `text_link ${entity.url}`;
  return entity.type === 'pre' && entity.language !== undefined ? `pre ${entity.language}` : entity.type;
}

const examples: Readonly<Record<string, readonly [source: string, result: string]>> = {
  'bold in both spellings': ['**a** __b__', '<bold>a</bold> <bold>b</bold>'],
  'italics in both spellings': ['*a* _b_', '<italic>a</italic> <italic>b</italic>'],
  'bold italics': ['***a***', '<bold><italic>a</italic></bold>'],
  'italics in bold': ['**a *b* c**', '<bold>a <italic>b</italic> c</bold>'],
  'bold in italics': ['*a **b** c*', '<italic>a <bold>b</bold> c</italic>'],
  'struck out': ['~~a~~', '<strikethrough>a</strikethrough>'],
  'over two lines': ['**a\nb**', '<bold>a\nb</bold>'],
  code: ['`a *b* c`', '<code>a *b* c</code>'],
  'code with a backtick in it': ['`` a`b ``', '<code>a`b</code>'],
  'code in bold, which Telegram does not allow': ['**a `b` c**', '<bold>a </bold><code>b</code><bold> c</bold>'],
  'a mark that closes only in code': ['**a `b** c`', '**a <code>b** c</code>'],
  'a link': ['[a **b**](https://x.y/z_(w)?q=1)', '<text_link https://x.y/z_(w)?q=1>a <bold>b</bold></text_link>'],
  'a link with a title': ['[a](https://x.y "title")', '<text_link https://x.y>a</text_link>'],
  'code in a link': ['[`a`](https://x.y)', '<text_link https://x.y>a</text_link>'],
  'a picture': ['![a cat](https://x.y/cat.png)', '<text_link https://x.y/cat.png>a cat</text_link>'],
  'a link that Telegram would not make one': ['[a](docs/a.md)', 'a (docs/a.md)'],
  'a link to a mailbox': ['[a](mailto:b@c.d)', 'a (mailto:b@c.d)'],
  'a link to a script': ['[a](javascript:alert(1))', 'a (javascript:alert(1))'],
  'an address': ['<https://x.y/a_b_c> and https://x.y/_a_', 'https://x.y/a_b_c and https://x.y/_a_'],
  'a bold address': ['**https://x.y/a_b**', '<bold>https://x.y/a_b</bold>'],
  headings: ['# A\n## B *c* ##\n#no', '<bold>A</bold>\n<bold>B <italic>c</italic></bold>\n#no'],
  'a bulleted list': ['- a\n- **b**\n  - c', '• a\n• <bold>b</bold>\n  • c'],
  'a numbered list': ['1. a\n2. b', '1. a\n2. b'],
  'a list with more than a line in an item': ['- a\n  b\n- c', '• a\nb\n• c'],
  'a list of tasks': ['- [ ] a\n- [x] b', '☐ a\n☑ b'],
  'a list of stars': ['* a *b*\n* c', '• a <italic>b</italic>\n• c'],
  'a quote': ['> a\n> **b**\n\nc', '<blockquote>a\n<bold>b</bold></blockquote>\n\nc'],
  'a quote in a quote': ['> a\n> > b', '<blockquote>a\nb</blockquote>'],
  'code in a quote': ['> a `b`', '<blockquote>a <code>b</code></blockquote>'],
  'a rule': ['a\n\n---\n\nb', 'a\n\n———\n\nb'],
  'a fence': ['a\n```python\ndef f():\n    **x**\n```\nb', 'a\n<pre python>def f():\n    **x**</pre>\nb'],
  'a fence of tildes with a fence in it': ['~~~\n```\na\n```\n~~~', '<pre>```\na\n```</pre>'],
  'a fence that is not closed': ['```js\na', '<pre js>a</pre>'],
  'a fence in a list': ['- a\n  ```sh\n  ls\n    -l\n  ```', '• a\n<pre sh>ls\n  -l</pre>'],
  'an empty fence': ['a\n```\n```\nb', 'a\n\nb'],
  'three backticks within a line': ['```a``` b', '<code>a</code> b'],
  'a table': [
    '| a | **bb** |\n|---|:--:|\n| ccc | `d` |\n| e |\n\nf',
    '<pre>a   │ bb\n────┼───\nccc │ d\ne   │</pre>\n\nf',
  ],
  'no table without a rule': ['a | b\nc | d', 'a | b\nc | d'],
  escapes: [String.raw`\*a\* \_ \[b\](c) \\`, String.raw`*a* _ [b](c) \ `.trim()],
  'characters by name': ['a &lt;b&gt; &amp;c; &unknown;', 'a <b> &c; &unknown;'],
  'a line break by tag': ['a<br>b<br/>c', 'a\nb\nc'],
  'tags that mean nothing here': ['<b>a</b> < c', '<b>a</b> < c'],
  'underscores in words': ['snake_case_name and __init__.py', 'snake_case_name and __init__.py'],
  'sums and globs': ['2 * 3 * 4, *.txt *.md', '2 * 3 * 4, *.txt *.md'],
  'marks that never close': ['**a *b `c [d](', '**a *b `c [d]('],
  'line breaks and gaps': ['a\nb\n\n\n\nc\r\nd', 'a\nb\n\nc\nd'],
};

describe('Markdown is rendered', () => {
  for (const [name, [source, result]] of Object.entries(examples)) {
    test(name, () => assert.equal(shown(source), result));
  }
});

// Pieces that Markdown is made of, so that random texts are full of it.
const scraps = fc.oneof(
  fc.constantFrom(
    '*',
    '**',
    '***',
    '_',
    '__',
    '~~',
    '`',
    '``',
    '```',
    '\n',
    '\n\n',
    '> ',
    '- ',
    '1. ',
    '# ',
    '|',
    '|---|',
  ),
  fc.constantFrom('[a](https://b.c)', '![', '](', '\\', '<br>', '&amp;', ' ', 'word', '👩‍👩‍👧', '\t', '    '),
  fc.string({ unit: 'binary', maxLength: 3 }),
);
const anyMarkdown = fc.array(scraps, { maxLength: 60 }).map((parts) => parts.join(''));

test('whatever is written, the styles fit the text and each other', () => {
  fc.assert(
    fc.property(anyMarkdown, (source) => {
      const { text, entities } = renderMarkdown(source);
      if (text === '') return;
      checkText(text, entities);
    }),
    { numRuns: 2000 },
  );
});

test('no word is lost', () => {
  const words = fc.array(fc.constantFrom('*', '**', '_', '~~word~~ ', '> ', '- ', '\n', '\n\n', 'word', ' '), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(words, (parts) => {
      const source = parts.join('');
      assert.equal(countWords(renderMarkdown(source).text), countWords(source));
    }),
    { numRuns: 1000 },
  );
});

function countWords(text: string): number {
  return text.split('word').length - 1;
}

const heavy: Readonly<Record<string, string>> = {
  stars: '*a '.repeat(50_000),
  'stars in bold': `**${'*a '.repeat(50_000)}x**`,
  backticks: '`'.repeat(100_000),
  brackets: '[a](b'.repeat(20_000),
  quotes: '>'.repeat(100_000),
  spaces: `|${' '.repeat(100_000)}|\n|${' '.repeat(100_000)}x|`,
  hashes: `# ${'#'.repeat(100_000)} x`,
  addresses: `https://${'.'.repeat(100_000)}a`,
  lists: Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth)}- a`).join('\n'),
};

describe('a text that is made to be hard is rendered like any other', () => {
  for (const [name, source] of Object.entries(heavy)) {
    test(name, { timeout: 5000 }, () => assert.ok(layOut('reply', source).length > 0));
  }
});

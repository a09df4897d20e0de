import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { MarkdownStream } from '../../../src/cli/render/markdown-stream.ts';

/** What is printed of a text that comes in pieces of this size, with escape codes as `‹1›`. */
function show(text: string, columns = 60, size = Infinity): string {
  const stream = new MarkdownStream(() => columns);
  let out = '';
  for (let at = 0; at < text.length; at += size) out += stream.take(text.slice(at, at + size));
  // oxlint-disable-next-line no-control-regex
  return (out + stream.end()).replaceAll(/\u001b\[(\d+)m/g, '‹$1›');
}

const cases: readonly (readonly [string, string, string])[] = [
  ['a heading is bold, without its signs', '## The **whole** of it', '‹1›The whole of it‹22›'],
  ['bold, italic, struck and code words stand out', '**a** *b* ~~c~~ `d`', '‹1›a‹22› ‹3›b‹23› ‹9›c‹29› ‹36›d‹39›'],
  ['underscores do, too, but not inside a word', '__a__ _b_ snake_case_name', '‹1›a‹22› ‹3›b‹23› snake_case_name'],
  ['signs that stand alone are what they are', '2 * 3 * 4, a ** b, 5 < 6, ~ home', '2 * 3 * 4, a ** b, 5 < 6, ~ home'],
  ['what is never closed is text', 'a **b and `c', 'a **b and `c'],
  ['what is escaped is text, too', '\\*a\\* \\d', '*a* \\d'],
  ['nothing inside of code is markup', '`**a**` and ``b`c``', '‹36›**a**‹39› and ‹36›b`c‹39›'],
  ['markup inside of markup is kept', '**a `b` *c***', '‹1›a ‹36›b‹39› ‹3›c‹23›‹22›'],
  ['a link shows where it leads', 'see [this](https://x.org/a_(b) "t")', 'see this ‹2›(https://x.org/a_(b))‹22›'],
  ['an address is not shown twice', '[https://x.org](https://x.org) <https://y.org>', 'https://x.org https://y.org'],
  ['brackets that are no link stay', '[x] and [1, 2](no link', '[x] and [1, 2](no link'],
  ['items have bullets, numbers stay', '- a\n* b\n  + c\n1. d', '• a\n• b\n  • c\n1. d'],
  ['a number or a sign that begins no item stays', '2026 was\n-5 degrees\n-', '2026 was\n-5 degrees\n-'],
  ['a quote has a bar', '> said', '‹2›│ ‹22›said'],
  ['a rule is a line', '---', '---'],
  ['a rule that is whole is a line', '***\n', `‹2›${'─'.repeat(40)}‹22›\n`],
  ['blank lines stay', 'a\n\n\nb\n', 'a\n\n\nb\n'],
];

for (const [title, text, expected] of cases) {
  test(`in a chat ${title}`, () => {
    assert.equal(show(text), expected);
  });
}

test('what is broken off of an item, however deep, is indented below its words', () => {
  assert.equal(
    show('- one two three four\n    - five six seven', 14),
    '• one two\n  three four\n    • five six\n      seven',
  );
});

test('code is printed byte for byte, however wide it is, in a colour of its own and without its fences', () => {
  const code = 'const x = "**not bold**"; // wider than the screen is\n\t_tabs_ | stay\n\n# so do these';

  const [first, second, , last] = code.split('\n');

  const painted = `‹36›${first}‹39›\n‹36›${second}‹39›\n\n‹36›${last}‹39›`;
  assert.equal(show(`~~~js\n${code}\n~~~\n**b**`, 20), `‹2›js‹22›\n${painted}\n‹1›b‹22›`);
  assert.equal(show(`text\n\n    ${'indented '.repeat(5)}\n`, 20), `text\n\n    ${'indented '.repeat(5)}\n`);
  assert.equal(show('```\n``\n~~~\n````\nafter *all*'), '‹36›``‹39›\n‹36›~~~‹39›\nafter ‹3›all‹23›');
  assert.equal(show('```a``` is no block\n*b*'), '‹36›a‹39› is no block\n‹3›b‹23›');
});

test('code that a text ends with, or that is broken off, leaves no line behind', () => {
  assert.equal(show('so:\n```\nls\n```'), 'so:\n‹36›ls‹39›');
  assert.equal(show('```\nls\n'), '‹36›ls‹39›\n');
  assert.equal(show('```\nls'), '‹36›ls‹39›');
});

function blue(text: string): string {
  return `\u001b[36m${text}\u001b[39m`;
}

test('a line of code that ends with backticks ends no block, and a fence before a pause does', () => {
  const stream = new MarkdownStream(() => 60);

  assert.equal(stream.take('```\necho '), '\u001b[36mecho ');
  assert.equal(stream.take('```\nls\n'), `\`\`\`\u001b[39m\n${blue('ls')}`);
  assert.equal(stream.pause(), '\n');
  assert.equal(stream.take('pwd\n```'), blue('pwd'));
  assert.equal(stream.pause(), '');
  assert.equal(stream.take('\n*b*\n'), '\n\u001b[3mb\u001b[23m\n');
});

test('where nothing is painted, code keeps its fences', () => {
  const stream = new MarkdownStream(() => 60, 'bare');
  const text = 'so:\n```sh\nls\n```\nand\n';

  assert.equal(stream.take(text), text);
});

const table = '| Name | 日本 | Count |\n|:--|:-:|--:|\n| a `x|y` | 日 | 1 |\n| **b** | c | 1000 |';

test('a table has its columns below each other, wide characters counted as such', () => {
  assert.equal(
    show(`${table}\nafter`),
    [
      '‹1›Name‹22›   ‹1›日本‹22›  ‹1›Count‹22›',
      '‹2›──────────────────‹22›',
      'a ‹36›x|y‹39›   日       1',
      '‹1›b‹22›       c     1000',
      'after',
    ].join('\n'),
  );
});

test('a table that is too wide has a few lines for each row', () => {
  assert.equal(
    show(table, 15),
    '‹1›Name‹22›: a ‹36›x|y‹39›\n‹1›日本‹22›: 日\n‹1›Count‹22›: 1\n\n‹1›Name‹22›: ‹1›b‹22›\n‹1›日本‹22›: c\n‹1›Count‹22›: 1000',
  );
});

test('rows without a head are left as they are', () => {
  assert.equal(show('| a | b |\n| c | d |\n'), '| a | b |\n| c | d |\n');
});

const document = [...cases.map(([, text]) => text), '```\nx = *y*\n\n  `z` ```\n```', table, 'The end.'].join('\n\n');

test('what is shown does not depend on the pieces in which it comes', () => {
  const whole = show(document);

  for (const size of [1, 2, 3, 5, 8, 13, 40]) assert.equal(show(document, 60, size), whole, `pieces of ${size}`);
});

test('words are shown before their line is over, unless they may be markup', () => {
  const stream = new MarkdownStream(() => 60);

  assert.equal(stream.take('Good morn'), 'Good');
  assert.equal(stream.take('ing to **all of'), ' morning to');
  assert.equal(stream.take(' you** and'), ' \u001b[1mall of you\u001b[22m');
  assert.equal(stream.pause(), ' and');
});

test('plain words are never lost or changed, whatever the width and the pieces', () => {
  const word = fc.stringMatching(/^[a-zA-Z0-9,.!?äß日本]{1,12}$/).filter((text) => !/^\d+[.)]?$/.test(text));
  const line = fc.array(word, { minLength: 1, maxLength: 30 }).map((words) => words.join(' '));
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 8 }),
      fc.integer({ min: 1, max: 80 }),
      fc.nat(9),
      (lines, columns, size) => {
        const text = lines.join('\n');

        assert.equal(show(text, columns, size + 1).replaceAll(/\s+/g, ''), text.replaceAll(/\s+/g, ''));
      },
    ),
  );
});

test('whatever a model says, nothing but a known look reaches the terminal', () => {
  const pieces = [
    '**',
    '*',
    '`',
    '```\n',
    '\n',
    '| a |',
    '|-|',
    '- ',
    '# ',
    '> ',
    '[x](',
    ')',
    '\u{E0042}',
    'word ',
    '_',
    '~~',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), fc.nat(30), (said, columns) => {
      const shown = show(said.join(''), columns, 3);

      // oxlint-disable-next-line no-control-regex
      assert.doesNotMatch(shown, /[\u0000-\u0009\u000b-\u001f]|[\u{E0000}-\u{E007F}]/u);
      // It may be in a block of code that nothing has closed.
      assert.match(show(`${said.join('')}\n\`\`\`\n\`\`\`\n\nend`, columns), /end(?:‹39›)?$/);
    }),
  );
});

test('a long line full of signs is dealt with at once', () => {
  const text = '*_[`'.repeat(50_000);

  assert.equal(show(text, 80).length >= text.length / 2, true);
});

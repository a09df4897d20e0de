import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layOut } from '../../../src/channels/telegram/lay-out.ts';

test('a listing in columns is shown as a list, what goes on below a line stays below it, and nothing in it is Markdown', () => {
  const listing = [
    'Heading',
    '  /one [A]   first *thing*',
    'allowed  2 kinds:',
    '         git push',
    '',
    'path     /a_b_c',
    'And some words.',
  ];

  const [rich, ...others] = layOut('listing', listing.join('\n'));

  assert.deepEqual(others, []);
  assert.equal(
    rich?.text,
    'Heading\n• /one [A] first *thing*\n• allowed 2 kinds:\n– git push\n\n• path /a_b_c\nAnd some words.',
  );
  const bold = rich?.entities.map(({ type, offset, length }) => [type, rich.text.slice(offset, offset + length)]);
  assert.deepEqual(bold, [
    ['bold', 'Heading'],
    ['bold', '/one [A]'],
    ['bold', 'allowed'],
    ['bold', 'path'],
  ]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expandVariables } from '../../../src/tools/mcp/expand-variables.ts';
import { MessageLines } from '../../../src/tools/mcp/message-lines.ts';

test('lines are put together from pieces of any size, and characters are never torn', () => {
  const bytes = Buffer.from('first\nzweite Zeile mit Überhang\n\nlast\n');

  for (const size of [1, 2, 3, 7, 100]) {
    const reader = new MessageLines(1000);
    const lines: string[] = [];
    for (let start = 0; start < bytes.length; start += size) {
      const read = reader.take(bytes.subarray(start, start + size));
      if (read.type === 'lines') lines.push(...read.lines);
    }
    assert.deepEqual(lines, ['first', 'zweite Zeile mit Überhang', '', 'last']);
  }
});

test('a line that is too long is told as soon as it is', () => {
  const reader = new MessageLines(10);

  const read = [reader.take(Buffer.from('12345678')), reader.take(Buffer.from('9012'))];

  assert.deepEqual(read, [{ type: 'lines', lines: [] }, { type: 'too-long' }]);
});

function known(name: string): string | undefined {
  return name === 'A' ? 'moon' : undefined;
}

test('names are filled in, and what nobody knows is named instead of being sent', () => {
  assert.deepEqual(expandVariables({ x: 'by ${A}, $A and ${ A }' }, known), {
    type: 'whole',
    values: { x: 'by moon, $A and ${ A }' },
  });
  assert.deepEqual(expandVariables({ x: '${B}', y: '${C} ${B}' }, known), { type: 'missing', names: ['B', 'C'] });
});

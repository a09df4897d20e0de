import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { commandTable } from '../../src/gateway/commands.ts';

const talking = await readFile(new URL('../../docs/talking.md', import.meta.url), 'utf8');

function named(text: string, name: string): boolean {
  return text.includes(`\`/${name.replace('_', '-')}`);
}

test('docs/talking.md has every command, and names those that are typed in full', () => {
  const [, table = ''] = talking.split('\n## Commands\n');
  const rows = table.split('\n').filter((line) => line.startsWith('| `/'));
  const [, inFull = ''] = /^The beginning of a name is enough.*except for (.*)\.$/m.exec(talking) ?? [];

  const missing = commandTable.filter(({ name }) => !rows.some((row) => named(row.split(' | ')[0] ?? '', name)));
  const inFullHere = commandTable.filter(({ name }) => named(inFull, name));

  assert.deepEqual(missing, []);
  assert.deepEqual(
    inFullHere.map(({ name }) => name),
    commandTable.filter(({ typed }) => typed === 'in-full').map(({ name }) => name),
  );
});

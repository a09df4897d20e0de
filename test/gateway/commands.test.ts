import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { commandTable } from '../../src/gateway/commands.ts';
import { says } from '../support/model-script.ts';
import { openTestHouse } from '../support/test-house.ts';
import { command } from './say-commands.ts';

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

test('a command that takes no words does nothing where some stand behind it, and says so; /stop stops all the same', async () => {
  await using house = await openTestHouse({ script: [says('Hello.')] });
  await house.say('hi');
  const before = await house.session();
  const wordless = commandTable.filter(({ usage }) => usage.split(', ').every((each) => /^\/[a-z-]+$/.test(each)));

  const answers = new Map<string, string>();
  for (const { name } of wordless) answers.set(name, await command(house, `/${name} the change in a.py`));

  const stop = answers.get('stop');
  answers.delete('stop');
  assert.equal(stop, 'Nothing is running.');
  for (const [name, answer] of answers)
    assert.match(answer, new RegExp(`^Nothing was done: /${name} takes no words behind it\\.\n/\\S+.*  \\w`));
  assert.deepEqual([...answers.keys()].slice(0, 3), ['new', 'retry', 'undo']);
  assert.deepEqual(await house.session(), before);
});

test('/help with the name of a command shows that one alone, and otherwise all of them', async () => {
  await using house = await openTestHouse({ script: [] });
  const undo = '/undo  take your last message and its answer back; the log keeps them';

  assert.deepEqual([await command(house, '/help undo'), await command(house, '/help /UNDO')], [undo, undo]);
  assert.equal(await command(house, '/start c0ffee'), await command(house, '/help'));
});

test('/title says that a long name was cut', async () => {
  await using house = await openTestHouse({ script: [] });
  const [fits, tooLong] = ['n'.repeat(100), 'n'.repeat(101)];

  assert.equal(await command(house, `/title ${fits}`), `This session is now called “${fits}”.`);
  assert.equal(
    await command(house, `/title ${tooLong}`),
    `This session is now called “${fits}”. The rest was left out: a name has at most 100 characters.`,
  );
});

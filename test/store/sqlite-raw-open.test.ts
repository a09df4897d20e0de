import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { startChild } from '../support/store-child.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

async function rowsAfterCrash(...raw: readonly string[]): Promise<unknown> {
  await using folder = await makeTempFolder();
  const path = join(folder.path, 'canary.db');
  await using child = startChild('store-raw-open-canary.ts', path, ...raw);
  await child.ended();
  using database = new DatabaseSync(path);
  assert.equal(database.prepare('PRAGMA integrity_check').get()?.['integrity_check'], 'ok');
  return database.prepare('SELECT count(*) AS count FROM t').get()?.['count'];
}

function missingSqliteCommand(): string | false {
  try {
    execFileSync('sqlite3', ['--version']);
    return false;
  } catch {
    return 'the sqlite3 command is missing';
  }
}

test(
  'opening a live database by its path loses commits that were acknowledged; not opening it loses none',
  { skip: missingSqliteCommand() },
  async () => {
    assert.equal(await rowsAfterCrash(), 50);
    assert.equal(await rowsAfterCrash('open'), 0);
  },
);

test('in a whole life of the store nothing opens its live files by path', async () => {
  await using folder = await makeTempFolder();
  await using child = startChild('store-monitored-life.ts', folder.path);

  assert.deepEqual(await child.ended(), { lines: ['over'], code: 0 });
});

test('the watch over the live files notices an open', async () => {
  await using folder = await makeTempFolder();
  await using child = startChild('store-monitored-life.ts', folder.path, 'open');

  assert.deepEqual((await child.ended()).lines, ['readFileSync talaria.db', 'openSync talaria.db', 'over']);
});

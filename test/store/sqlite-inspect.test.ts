import assert from 'node:assert/strict';
import { closeSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import type { PersonId } from '../../src/base/ids.ts';
import { silentLog } from '../../src/base/log.ts';
import { inspectStore } from '../../src/store/sqlite/inspect-store.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-store.ts';
import { migrations } from '../../src/store/sqlite/schema.ts';
import { startChild } from '../support/store-child.ts';
import { laterMigrations } from '../support/store-migrations.ts';
import { admit, inChat } from '../support/store-samples.ts';
import { openStore } from '../support/store-sqlite-opener.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const newestVersion = migrations.at(-1)?.version;

async function fillStore(folder: string): Promise<void> {
  const store = await openStore(folder, systemClock);
  const session = await store.sessions.at(inChat('one'));
  for (let index = 0; index < 50; index += 1) await admit(store, session, `entry ${index} `.repeat(100));
  const digest = 'a digest';
  await store.people.offer({ digest, person: 'telegram:7' as PersonId, at: 1, expiresAt: 10 });
  await store.people.admit(digest, 2);
  await store.close();
}

/** Every file with its bytes, its date and its permissions. */
function snapshot(folder: string): readonly unknown[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .toSorted()
    .map((name) => {
      const { mode, mtimeMs, size } = statSync(join(folder, name));
      const isFile = statSync(join(folder, name)).isFile();
      return [name, mode, mtimeMs, size, isFile ? readFileSync(join(folder, name), 'base64') : ''];
    });
}

function spoil(path: string, offset: number, length: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(length, 0x5a), 0, length, offset);
  closeSync(file);
}

test('a store that was closed in good order is looked through without a trace, and tells its schema and its people', async () => {
  await using folder = await makeTempFolder();
  await fillStore(folder.path);
  const before = snapshot(folder.path);

  const seen = inspectStore(folder.path);

  assert.deepEqual(snapshot(folder.path), before);
  const bytes = statSync(join(folder.path, 'talaria.db')).size;
  const people = [{ person: 'telegram:7', since: 2, role: 'guest' }];
  assert.deepEqual(seen, { type: 'sound', bytes, version: newestVersion, newestVersion, people });
});

test('what a killed process left in the log is looked through without a trace', async () => {
  await using folder = await makeTempFolder();
  await fillStore(folder.path);
  await using child = startChild('store-holder.ts', folder.path);
  await child.line();
  const held = inspectStore(folder.path);
  await child.kill();
  const before = snapshot(folder.path);

  const seen = inspectStore(folder.path);

  assert.equal(held.type, 'held');
  assert.ok(readdirSync(folder.path).includes('talaria.db-wal'));
  assert.deepEqual([seen.type, seen.type === 'sound' && seen.version], ['sound', newestVersion]);
  assert.deepEqual(snapshot(folder.path), before);
});

test('a log whose index is gone is left to the next start', async () => {
  await using folder = await makeTempFolder();
  await fillStore(folder.path);
  await using child = startChild('store-holder.ts', folder.path);
  await child.line();
  await child.kill();
  rmSync(join(folder.path, 'talaria.db-shm'));
  const before = snapshot(folder.path);

  assert.equal(inspectStore(folder.path).type, 'unchecked');
  assert.deepEqual(snapshot(folder.path), before);
});

for (const { title, offset, length } of [
  { title: 'a database with a spoiled page', offset: 20 * 4096, length: 4096 },
  { title: 'a file that is no database any more', offset: 0, length: 100 },
]) {
  test(`${title} is said to be damaged`, async () => {
    await using folder = await makeTempFolder();
    await fillStore(folder.path);
    spoil(join(folder.path, 'talaria.db'), offset, length);

    const { type, ...seen } = inspectStore(folder.path);

    assert.equal(type, 'damaged');
    assert.deepEqual('backup' in seen && [seen.backup, seen.folder], [undefined, folder.path]);
  });
}

test('the schema of a newer program is told by its number, and nobody is read from it', async () => {
  await using folder = await makeTempFolder();
  const migration = { migrations: laterMigrations };
  const store = await openSqliteStore({ folder: folder.path, clock: systemClock, log: silentLog, migration });
  await store.close();

  const seen = inspectStore(folder.path);

  assert.deepEqual(seen.type === 'sound' && [seen.version, seen.newestVersion, seen.people], [
    laterMigrations.at(-1)?.version,
    newestVersion,
    undefined,
  ]);
});

test('where there is no store there is none after the look', async () => {
  await using folder = await makeTempFolder();

  assert.deepEqual(inspectStore(folder.path), { type: 'none' });
  assert.deepEqual(readdirSync(folder.path), []);
});

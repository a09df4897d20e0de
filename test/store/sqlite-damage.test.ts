import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-store.ts';
import { startChild } from '../support/store-child.ts';
import { laterMigrations } from '../support/store-migrations.ts';
import { admit, inChat } from '../support/store-samples.ts';
import { openStore } from '../support/store-sqlite-opener.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const pageSize = 4096;

async function fillStore(folder: string): Promise<void> {
  const store = await openStore(folder, systemClock);
  const session = await store.sessions.at(inChat('one'));
  for (let index = 0; index < 50; index += 1) await admit(store, session, `entry ${index} `.repeat(100));
  await store.close();
}

function overwrite(path: string, offset: number, bytes: Uint8Array): void {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, offset);
  closeSync(file);
}

function digest(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

test('a database that is no database any more is refused with one line and left as it is', async () => {
  await using folder = await makeTempFolder();
  const database = join(folder.path, 'talaria.db');
  await fillStore(folder.path);
  overwrite(database, 0, Buffer.alloc(100, 0xff));
  const before = digest(database);

  await assert.rejects(openStore(folder.path, systemClock), {
    code: 'corrupt-store',
    message: `${database} is damaged and was left as it is (file is not a database); there is no backup`,
  });

  assert.equal(digest(database), before);
});

test('after a crash the pages are checked: damage is refused, the newest backup is named, no byte is changed', async () => {
  await using folder = await makeTempFolder();
  const database = join(folder.path, 'talaria.db');
  await fillStore(folder.path);
  const migration = { migrations: laterMigrations };
  const options = { folder: folder.path, clock: systemClock, log: silentLog, migration };
  await (await openSqliteStore(options)).close();
  await using child = startChild('store-holder.ts', folder.path, 'later');
  await child.line();
  await child.kill();
  const pages = Math.floor(statSync(database).size / pageSize);
  for (let page = 20; page < pages; page += 2) overwrite(database, page * pageSize, Buffer.alloc(pageSize, 0x5a));
  const files = [database, `${database}-wal`];
  const before = files.map(digest);

  const opening = openSqliteStore(options);

  await assert.rejects(opening, {
    code: 'corrupt-store',
    message:
      /talaria\.db is damaged and was left as it is \(.+\); the newest backup is .+\/backups\/talaria-schema-\d+-.+\.db$/,
  });
  assert.deepEqual(files.map(digest), before);
});

test('after a crash without damage the store opens, with all that was in the log', async () => {
  await using folder = await makeTempFolder();
  await fillStore(folder.path);
  await using child = startChild('store-holder.ts', folder.path);
  await child.line();
  await child.kill();

  const store = await openStore(folder.path, systemClock);

  const [session] = await store.sessions.list({ limit: 1 });
  assert.ok(session);
  assert.equal((await store.turns.after(session.id, 0)).length, 50);
  await store.close();
});

for (const name of ['talaria.db', 'talaria.db-wal', 'talaria.db-shm']) {
  test(`writing stops for good once ${name} was deleted or replaced`, async () => {
    await using folder = await makeTempFolder();
    const store = await openStore(folder.path, systemClock);
    const session = await store.sessions.at(inChat('one'));
    await admit(store, session, 'before');
    const path = join(folder.path, name);
    renameSync(path, `${path}.away`);

    const line = `${path} was deleted or replaced while the program was running; nothing more is written`;
    const refused = { code: 'store-failed', message: line };
    await assert.rejects(admit(store, session, 'after'), refused);
    await assert.rejects(store.sessions.delete(session.id), refused);
    renameSync(`${path}.away`, path);
    await assert.rejects(admit(store, session, 'later'), refused);

    assert.equal((await store.turns.after(session.id, 0)).length, 1);
    await assert.rejects(store.close(), refused);
    const next = await openStore(folder.path, systemClock);
    assert.equal((await next.turns.after(session.id, 0)).length, 1);
    await next.close();
  });
}

test('writing stops once a file was deleted in a folder that had been at rest for long', async () => {
  await using folder = await makeTempFolder();
  const store = await openStore(folder.path, systemClock);
  const session = await store.sessions.at(inChat('one'));
  rest(folder.path, 3_600_000);
  await admit(store, session, 'before');
  await admit(store, session, 'at rest');
  renameSync(join(folder.path, 'talaria.db'), join(folder.path, 'away'));
  rest(folder.path, 1_800_000);

  await assert.rejects(admit(store, session, 'after'), { code: 'store-failed' });
  await assert.rejects(store.close(), { code: 'store-failed' });
});

/** Leaves a folder as if it had been changed so long ago. */
function rest(folder: string, milliseconds: number): void {
  const then = new Date(Date.now() - milliseconds);
  utimesSync(folder, then, then);
}

test('a store whose files were replaced removes nothing of the new ones when it is closed', async () => {
  await using folder = await makeTempFolder();
  await fillStore(folder.path);
  const database = join(folder.path, 'talaria.db');
  copyFileSync(database, join(folder.path, 'restored'));
  const store = await openStore(folder.path, systemClock);
  renameSync(join(folder.path, 'restored'), database);
  for (const end of ['-wal', '-shm']) rmSync(`${database}${end}`);
  overwriteNew(`${database}-wal`);

  await assert.rejects(store.sessions.at(inChat('two')), { code: 'store-failed' });
  await assert.rejects(store.close(), { code: 'store-failed' });

  assert.equal(readFileSync(`${database}-wal`, 'utf8'), 'of the restored database');
});

function overwriteNew(path: string): void {
  const file = openSync(path, 'wx');
  writeSync(file, 'of the restored database');
  closeSync(file);
}

import assert from 'node:assert/strict';
import { readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { isAppError, systemErrorCode } from '../../src/base/errors.ts';
import { silentLog } from '../../src/base/log.ts';
import type { Store } from '../../src/model/store.ts';
import type { LoggedEntry, TurnRef } from '../../src/model/turn.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-store.ts';
import { migrations } from '../../src/store/sqlite/schema.ts';
import { inChat, messageKey, newTurn, replyTo, sequence, steered } from '../support/store-samples.ts';
import { mountSmallDisk } from '../support/store-small-disk.ts';
import { openStore } from '../support/store-sqlite-opener.ts';

const text = 'a line of the conversation '.repeat(400);

/** Now and then a commit is larger than others, for what is indexed with it: full is a disk on which none succeeds. */
async function appendUntilFull(store: Store, turn: TurnRef): Promise<readonly LoggedEntry[]> {
  const acknowledged: LoggedEntry[] = [];
  let failures = 0;
  while (acknowledged.length < 1000) {
    try {
      acknowledged.push(...(await store.turns.append(turn, [steered(`${acknowledged.length} ${text}`)])));
      failures = 0;
    } catch (thrown) {
      assert.ok(isAppError(thrown, 'disk-full'), String(thrown));
      assert.match(thrown.message, /^the disk is full: [^\n]+$/);
      failures += 1;
      if (failures === 20) return acknowledged;
    }
  }
  return assert.fail('the disk does not get full');
}

function fill(folder: string): void {
  const { bavail, bsize } = statfsSync(folder);
  try {
    writeFileSync(join(folder, 'filler'), Buffer.alloc(bavail * bsize + 1));
  } catch (thrown) {
    assert.equal(systemErrorCode(thrown), 'ENOSPC');
  }
}

test('on a full disk nothing is acknowledged that is not stored, and it goes on when there is room', async (t) => {
  await using disk = await mountSmallDisk(2048);
  if (disk.type === 'impossible') return t.skip(disk.reason);
  writeFileSync(join(disk.path, 'filler'), Buffer.alloc(700_000));
  const folder = join(disk.path, 'state');
  const store = await openStore(folder, systemClock);
  const session = await store.sessions.at(inChat('one'));
  const turn = newTurn(session);

  const acknowledged = await appendUntilFull(store, turn);
  const refused = await Promise.allSettled([
    ...Array.from({ length: 5 }, () => store.turns.append(turn, [steered(text)])),
    store.transaction(async (tx) => {
      await tx.inbox.note(messageKey('m1'));
      await tx.outbox.enqueue(replyTo(session, text));
    }),
  ]);

  assert.ok(acknowledged.length > 3);
  assert.deepEqual(new Set(refused.map(({ status }) => status)), new Set(['rejected']));
  assert.deepEqual(await store.turns.after(session.id, 0), acknowledged);

  rmSync(join(disk.path, 'filler'));
  const [next] = await store.turns.append(turn, [steered('there is room again')]);
  assert.equal(await store.inbox.note(messageKey('m1')), 'new');
  await store.close();
  const reopened = await openStore(folder, systemClock);
  const kept = await reopened.turns.after(session.id, 0);
  assert.deepEqual(kept, [...acknowledged, next]);
  assert.deepEqual(
    sequence(kept),
    kept.map((_, index) => index + 1),
  );
  await reopened.close();
  return undefined;
});

test('a store on a full disk refuses to open with one clear line, and opens when there is room', async (t) => {
  await using disk = await mountSmallDisk(1024);
  if (disk.type === 'impossible') return t.skip(disk.reason);
  const folder = join(disk.path, 'state');
  await (await openStore(folder, systemClock)).close();
  fill(disk.path);

  await assert.rejects(openStore(folder, systemClock), {
    code: 'disk-full',
    message: 'the disk is full: nothing is stored until there is room again',
  });

  rmSync(join(disk.path, 'filler'));
  const store = await openStore(folder, systemClock);
  await store.sessions.at(inChat('one'));
  await store.close();
  return undefined;
});

test('where there is no room for a backup the schema is not changed', async (t) => {
  await using disk = await mountSmallDisk(2048);
  if (disk.type === 'impossible') return t.skip(disk.reason);
  const folder = join(disk.path, 'state');
  const store = await openStore(folder, systemClock);
  const session = await store.sessions.at(inChat('one'));
  for (let index = 0; index < 8; index += 1) await store.blobs.put(session.id, `${index} ${text.repeat(5)}`);
  await store.close();
  const { bavail, bsize } = statfsSync(disk.path);
  writeFileSync(join(disk.path, 'filler'), Buffer.alloc(bavail * bsize - 400_000));
  const migration = { migrations: [...migrations, { version: 1000, sql: 'CREATE TABLE later (x TEXT) STRICT' }] };

  const migrating = openSqliteStore({ folder, clock: systemClock, log: silentLog, migration });

  await assert.rejects(migrating, { code: 'disk-full' });
  assert.deepEqual(readdirSync(join(folder, 'backups')), []);
  const old = await openStore(folder, systemClock);
  assert.equal((await old.sessions.list({ limit: 9 })).length, 1);
  await old.close();
  return undefined;
});

test('a store on a disk that cannot be written refuses with one line', async (t) => {
  await using disk = await mountSmallDisk(1024);
  if (disk.type === 'impossible') return t.skip(disk.reason);
  const folder = join(disk.path, 'state');
  await (await openStore(folder, systemClock)).close();
  await disk.remount('ro');

  await assert.rejects(openStore(folder, systemClock), {
    code: 'store-failed',
    message: /^[^\n]*(read-only|cannot be opened)[^\n]*$/,
  });
  return undefined;
});

import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import type { PersonId } from '../../src/base/ids.ts';
import type { Address } from '../../src/model/session.ts';
import type { Store } from '../../src/model/store.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-store.ts';
import { migrations } from '../../src/store/sqlite/schema.ts';
import type { Migration } from '../../src/store/sqlite/schema.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { startChild } from '../support/store-child.ts';
import { laterMigrations } from '../support/store-migrations.ts';
import { admit, inChat, messageKey } from '../support/store-samples.ts';
import { openStore } from '../support/store-sqlite-opener.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const released = migrations.at(-1)?.version ?? 0;

function openWith(folder: string, steps: readonly Migration[], clock = new ManualClock()): Promise<Store> {
  return openSqliteStore({ folder, clock, log: silentLog, migration: { migrations: steps } });
}

async function writeSomething(folder: string): Promise<readonly unknown[]> {
  const store = await openStore(folder, systemClock);
  await admit(store, await store.sessions.at(inChat('one')), 'hello world');
  const everything = await readAll(store);
  await store.close();
  return everything;
}

async function readAll(store: Store): Promise<readonly unknown[]> {
  const sessions = await store.sessions.list({ limit: 9 });
  const logs = await Promise.all(sessions.map(({ id }) => store.turns.after(id, 0)));
  return [sessions, logs, await store.search.find('world', 9)];
}

const moments = [
  { moment: 'before-backup', version: released, leaves: 'old' },
  { moment: 'after-backup', version: released, leaves: 'old' },
  { moment: 'before-commit', version: 1001, leaves: 'old' },
  { moment: 'after-commit', version: 1001, leaves: 'new' },
  { moment: 'before-commit', version: 1002, leaves: 'new' },
  { moment: 'after-commit', version: 1002, leaves: 'new' },
] as const;

for (const { moment, version, leaves } of moments) {
  test(`a kill at ${moment} of step ${version} leaves the ${leaves} schema, and the next start completes it`, async () => {
    await using folder = await makeTempFolder();
    const before = await writeSomething(folder.path);
    await using child = startChild('store-dying-migrator.ts', folder.path, moment, String(version));
    assert.deepEqual((await child.ended()).lines, []);

    const oldProgram = openStore(folder.path, systemClock);
    if (leaves === 'new') await assert.rejects(oldProgram, { code: 'newer-schema' });
    else {
      const old = await oldProgram;
      assert.deepEqual(await readAll(old), before);
      await old.close();
    }

    const store = await openWith(folder.path, laterMigrations);
    assert.deepEqual(await readAll(store), before);
    await store.close();
    const database = new DatabaseSync(join(folder.path, 'talaria.db'), { readOnly: true });
    assert.deepEqual(
      database
        .prepare('SELECT x FROM later')
        .all()
        .map((row) => row['x']),
      ['red'],
    );
    const versions = database
      .prepare('SELECT version FROM schema_versions')
      .all()
      .map((row) => row['version']);
    assert.deepEqual(
      versions,
      laterMigrations.map((step) => step.version),
    );
    database.close();
  });
}

test('a kill while the first schema is written leaves a store that opens', async () => {
  await using folder = await makeTempFolder();
  await using child = startChild('store-dying-migrator.ts', folder.path, 'before-commit', '1');
  assert.deepEqual((await child.ended()).lines, []);

  await writeSomething(folder.path);
});

test('a step that fails is undone as a whole, and the old schema still works', async () => {
  await using folder = await makeTempFolder();
  const before = await writeSomething(folder.path);
  const broken = { version: 1001, sql: 'CREATE TABLE later (x TEXT) STRICT; DROP TABLE sessions; SELECT nonsense' };

  await assert.rejects(openWith(folder.path, [...migrations, broken]), { code: 'store-failed' });

  const store = await openStore(folder.path, systemClock);
  assert.deepEqual(await readAll(store), before);
  await store.close();
});

test('an older program refuses a newer schema with a clear line, and changes nothing', async () => {
  await using folder = await makeTempFolder();
  const before = await writeSomething(folder.path);
  await (await openWith(folder.path, laterMigrations)).close();

  await assert.rejects(openStore(folder.path, systemClock), {
    code: 'newer-schema',
    message: `the database belongs to a newer program (its schema is version 1002, and this program knows ${released}); update the program`,
  });

  const store = await openWith(folder.path, laterMigrations);
  assert.deepEqual(await readAll(store), before);
  await store.close();
});

test('before a change of the schema the database is copied whole, and the newest two copies stay', async () => {
  await using folder = await makeTempFolder();
  const backups = join(folder.path, 'backups');
  await writeSomething(folder.path);
  const clock = new ManualClock();
  for (const count of [1, 2, 3]) {
    const steps = Array.from({ length: count }, (_, index) => ({ version: 1001 + index, sql: 'SELECT 1' }));
    await (await openWith(folder.path, [...migrations, ...steps], clock)).close();
    writeFileSync(join(backups, 'talaria-schema-9-cut-off.db.partial'), 'not whole');
    clock.advance(1000);
  }

  const names = readdirSync(backups).filter((name) => !name.endsWith('.partial'));
  assert.deepEqual(names.toSorted(), [
    'talaria-schema-1001-2026-01-01T00-00-01-000Z.db',
    'talaria-schema-1002-2026-01-01T00-00-02-000Z.db',
  ]);
  for (const name of names) {
    const copy = new DatabaseSync(join(backups, name), { readOnly: true });
    assert.equal(copy.prepare('PRAGMA integrity_check').get()?.['integrity_check'], 'ok');
    assert.equal(copy.prepare('SELECT count(*) AS count FROM entries').get()?.['count'], 1);
    copy.close();
  }
});

test('a new store makes no backup', async () => {
  await using folder = await makeTempFolder();

  await writeSomething(folder.path);

  assert.equal(readdirSync(folder.path).includes('backups'), false);
});

test('what was used before anyone noted how long caches were to be kept is still there, without it', async () => {
  await using folder = await makeTempFolder();
  const older = migrations.filter(({ version }) => version < 3);
  await (await openWith(folder.path, older)).close();
  const database = new DatabaseSync(join(folder.path, 'talaria.db'));
  database.exec(
    `INSERT INTO usages (session_id, turn_id, at, runtime, purpose, fresh, cache_read, cache_write, output, reasoning)
      VALUES (NULL, 'trn_1', 5, 'anthropic:claude', 'answer', 1, 2, 3, 4, 0)`,
  );
  database.close();

  const store = await openWith(folder.path, migrations);
  const kept = await store.usages.list({});
  await store.close();

  const usage = { fresh: 1, cacheRead: 2, cacheWrite: 3, output: 4, reasoning: 0 };
  const call = { sessionId: undefined, turnId: 'trn_1', at: 5, runtime: 'anthropic:claude', purpose: 'answer' };
  assert.deepEqual(kept, [{ ...call, usage, cacheLife: undefined }]);
});

test('who was let in before names were noted keeps access, without one, and so does whoever was given a code then', async () => {
  await using folder = await makeTempFolder();
  await (
    await openWith(
      folder.path,
      migrations.filter(({ version }) => version < 12),
    )
  ).close();
  const database = new DatabaseSync(join(folder.path, 'talaria.db'));
  database.exec(
    `INSERT INTO people (person, since, role) VALUES ('telegram:42', 3, 'owner');
      INSERT INTO pairing_offers (person, digest, at, expires_at) VALUES ('telegram:43', 'd', 4, 99)`,
  );
  database.close();

  const store = await openWith(folder.path, migrations);
  await store.people.admit('d', 5);
  const kept = await store.people.list();
  await store.close();

  assert.deepEqual(kept, [
    { person: 'telegram:42', since: 3, role: 'owner' },
    { person: 'telegram:43', since: 5, role: 'guest' },
  ]);
});

test('a message that was taken in while the inbox still knew its turn is a duplicate ever after', async () => {
  await using folder = await makeTempFolder();
  const older = await openWith(
    folder.path,
    migrations.filter(({ version }) => version < 11),
  );
  await older.inbox.note(messageKey('before'));
  await older.close();

  const store = await openWith(folder.path, migrations);
  const notes = [await store.inbox.note(messageKey('before')), await store.inbox.note(messageKey('after'))];
  await store.close();

  assert.deepEqual(notes, ['duplicate', 'new']);
});

test('sessions and messages from before members had their own are there as what all share', async () => {
  await using folder = await makeTempFolder();
  const older = migrations.filter(({ version }) => version < 9);
  await (await openWith(folder.path, older)).close();
  const database = new DatabaseSync(join(folder.path, 'talaria.db'));
  database.exec(
    `INSERT INTO sessions (id, address_key, platform, account, chat, thread, person, workdir, title, created_at, active_at,
        last_seq, answers) VALUES ('ses_1', 'telegram/1/-100/', 'telegram', '1', '-100', '', 'telegram:42', '/', 'Old', 1, 2, 0, 1);
      INSERT INTO outbox (id, session_id, address_key, platform, account, chat, thread, kind, text, copy, state, attempts,
        not_before, not_after, after_seq, at) VALUES ('out_1', 'ses_1', 'telegram/1/-100/', 'telegram', '1', '-100', '', 'reply',
        'late', 'first', 'queued', 0, 0, 9999999999999, 0, 2);
      INSERT INTO home_chats (platform, account, chat, thread, person, since)
        VALUES ('telegram', '1', '-100', '', 'telegram:42', 3)`,
  );
  database.close();
  const address: Address = { platform: 'telegram', account: '1', chat: '-100', thread: '' };
  const person = 'telegram:42' as PersonId;

  const store = await openWith(folder.path, migrations);
  const session = await store.sessions.find(address);
  const own = await store.sessions.find({ ...address, member: person });
  const due = await store.outbox.due('telegram', 5, address);
  const homes = await store.homeChats.list();
  await store.close();

  assert.deepEqual([session?.id, session?.title, session?.address], ['ses_1', 'Old', address]);
  assert.equal(own, undefined);
  assert.deepEqual(
    due.map(({ message }) => [message.text, message.address]),
    [['late', address]],
  );
  assert.deepEqual(homes, [{ address, person, since: 3 }]);
});

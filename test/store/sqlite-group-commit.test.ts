import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { AppError } from '../../src/base/errors.ts';
import type { Session } from '../../src/model/session.ts';
import type { Store } from '../../src/model/store.ts';
import { Database } from '../../src/store/sqlite/database.ts';
import type { Query } from '../../src/store/sqlite/database.ts';
import { GroupCommit } from '../../src/store/sqlite/group-commit.ts';
import type { CommitHooks } from '../../src/store/sqlite/group-commit.ts';
import { openStoreHouse } from '../support/store-house.ts';
import type { StoreHouse } from '../support/store-house.ts';
import { admit, inChat, newTurn, sequence, steered } from '../support/store-samples.ts';
import * as sqlite from '../support/store-sqlite-opener.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

function bytesLogged(house: StoreHouse): number {
  return statSync(join(house.place, 'talaria.db-wal')).size;
}

async function openSessions(store: Store, count: number): Promise<readonly Session[]> {
  return await Promise.all(Array.from({ length: count }, (_, index) => store.sessions.at(inChat(`chat ${index}`))));
}

test('the writes of many sessions in one tick share one commit', async () => {
  await using house = await openStoreHouse(sqlite);
  const sessions = await openSessions(house.store, 16);
  const start = bytesLogged(house);

  await Promise.all(sessions.map((session) => admit(house.store, session, 'hello')));
  const together = bytesLogged(house) - start;
  for (const session of sessions) await admit(house.store, session, 'hello');
  const oneByOne = bytesLogged(house) - start - together;

  assert.ok(together > 0);
  assert.ok(together * 4 < oneByOne, `${together} bytes together, ${oneByOne} one by one`);
});

test('a transaction that waits for something else than the store is undone, and holds up nobody', async () => {
  await using house = await openStoreHouse(sqlite);
  const [session] = await openSessions(house.store, 1);
  assert.ok(session);
  let lateCall: Promise<unknown> | undefined;
  const { promise: never, resolve: letGo } = Promise.withResolvers<void>();

  const stuck = house.store.transaction(async (tx) => {
    await admit(tx, session, 'never');
    await never;
    lateCall = admit(tx, session, 'later still');
    await lateCall;
  });
  const other = house.store.turns.append(newTurn(session), [steered('kept')]);

  await assert.rejects(stuck, { code: 'store-failed', message: /waited for something other than the store/ });
  assert.deepEqual(sequence(await other), [1]);
  letGo();
  await never;
  await assert.rejects(lateCall ?? Promise.resolve(), { message: /the transaction is over/ });
  assert.deepEqual(sequence(await house.store.turns.after(session.id, 0)), [1]);
});

test('a transaction that waits for a call outside of itself is undone and does not lock up', async () => {
  await using house = await openStoreHouse(sqlite);
  const [session] = await openSessions(house.store, 1);
  assert.ok(session);

  const tangled = house.store.transaction(() => admit(house.store, session, 'outside'));

  await assert.rejects(tangled, { code: 'store-failed' });
  await admit(house.store, session, 'still works');
});

test('more writes than fit in one transaction are all stored, in order', async () => {
  await using house = await openStoreHouse(sqlite);
  const [session] = await openSessions(house.store, 1);
  assert.ok(session);
  const turn = newTurn(session);

  const appended = await Promise.all(
    Array.from({ length: 1000 }, (_, index) => house.store.turns.append(turn, [steered(`text ${index}`)])),
  );

  assert.deepEqual(
    appended.flatMap(sequence),
    Array.from({ length: 1000 }, (_, index) => index + 1),
  );
});

interface Bench extends Disposable {
  readonly db: Database;
  readonly commits: GroupCommit;
  insert(x: number): Promise<number>;
  kept(): Promise<readonly unknown[]>;
}

const noHooks: CommitHooks = {
  beforeWriting: () => undefined,
  beforeCommit: () => undefined,
  explain: (thrown) => thrown,
};

/** Group commit over a database of one table. */
function openBench(folder: string, hooks: Partial<CommitHooks>): Bench {
  const connection = new DatabaseSync(join(folder, 'some.db'));
  const db = new Database(connection);
  db.exec('CREATE TABLE t (x INTEGER)');
  const commits = new GroupCommit(db, { ...noHooks, ...hooks });
  const numbers: Query<{ x: number }> = { sql: 'SELECT x FROM t' };
  return {
    db,
    commits,
    insert: (x) => commits.run('write', () => db.run('INSERT INTO t VALUES (?)', x)),
    kept: async () => (await commits.run('read', () => db.all(numbers))).map(({ x }) => x),
    [Symbol.dispose]: () => connection.close(),
  };
}

test('a job that does not notice that SQLite undid its transaction is refused all the same', async () => {
  await using folder = await makeTempFolder();
  using bench = openBench(folder.path, {});

  const refused = bench.commits.run('write', () => {
    bench.db.run('INSERT INTO t VALUES (1)');
    // As SQLite does by itself where the disk is full.
    bench.db.run('ROLLBACK');
    return 'done';
  });

  await assert.rejects(refused);
  await bench.insert(2);
  assert.deepEqual(await bench.kept(), [2]);
});

test('a commit that fails refuses every job of it, stores nothing of them, and the next one works', async () => {
  await using folder = await makeTempFolder();
  const failures = [new Error('no'), undefined];
  using bench = openBench(folder.path, {
    beforeCommit() {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
    },
  });

  const refused = await Promise.allSettled([bench.insert(1), bench.insert(2)]);
  await bench.insert(3);

  assert.deepEqual(new Set(refused.map(({ status }) => status)), new Set(['rejected']));
  assert.deepEqual(await bench.kept(), [3]);
});

for (const access of ['read', 'write'] as const) {
  test(`once a ${access} has met damage nothing is written any more, and reading goes on`, async () => {
    await using folder = await makeTempFolder();
    const damage = new AppError('corrupt-store', 'damaged');
    using bench = openBench(folder.path, {});
    await bench.insert(1);

    const damaged = bench.commits.run(access, () => {
      throw damage;
    });
    await assert.rejects(damaged, damage);
    await assert.rejects(bench.insert(2), damage);
    await assert.rejects(
      bench.commits.maintain(() => bench.db.exec('VACUUM')),
      damage,
    );

    assert.deepEqual(await bench.kept(), [1]);
  });
}

import assert from 'node:assert/strict';
import { chmodSync, chownSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { decideFileSystem } from '../../src/store/sqlite/file-system-kind.ts';
import { openDatabase, refuseOldSqlite } from '../../src/store/sqlite/open-database.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-store.ts';
import { migrations } from '../../src/store/sqlite/schema.ts';
import { prepareStoreFolder } from '../../src/store/sqlite/store-files.ts';
import { modesIn } from '../support/store-folder-walk.ts';
import { admit, inChat } from '../support/store-samples.ts';
import { openStore } from '../support/store-sqlite-opener.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const asRoot = process.getuid?.() === 0;

for (const umask of [0o000, 0o022, 0o277]) {
  test(`with a umask of 0${umask.toString(8)} every folder is 0700 and every file 0600`, async () => {
    await using temp = await makeTempFolder();
    const folder = join(temp.path, 'state');
    const before = process.umask(umask);
    try {
      await (await openStore(folder, systemClock)).close();
      const migration = { migrations: [...migrations, { version: 1000, sql: 'CREATE TABLE later (x TEXT) STRICT' }] };
      const store = await openSqliteStore({ folder, clock: systemClock, log: silentLog, migration });
      await admit(store, await store.sessions.at(inChat('one')), 'hello');

      const { '': own, backups, ...files } = modesIn(folder);

      const names = Object.keys(files).map((name) => name.replace(/^backups\/.*/, 'a backup'));
      const expected = ['a backup', 'owner.db', 'owner.json', 'talaria.db', 'talaria.db-shm', 'talaria.db-wal'];
      assert.deepEqual(names.toSorted(), expected);
      assert.deepEqual([own, backups], ['700', '700']);
      assert.deepEqual(new Set(Object.values(files)), new Set(['600']));
      await store.close();
    } finally {
      process.umask(before);
    }
  });
}

test('permissions that were loosened are set back', async () => {
  await using folder = await makeTempFolder();
  await (await openStore(folder.path, systemClock)).close();
  chmodSync(folder.path, 0o755);
  chmodSync(join(folder.path, 'talaria.db'), 0o644);

  const store = await openStore(folder.path, systemClock);
  await store.sessions.at(inChat('one'));

  const { '': own, ...files } = modesIn(folder.path);
  assert.equal(own, '700');
  assert.deepEqual(new Set(Object.values(files)), new Set(['600']));
  await store.close();
});

test(
  'a folder or a database of another user is refused',
  { skip: asRoot ? false : 'only root can give a file to another user' },
  async () => {
    await using temp = await makeTempFolder();
    const [foreignFolder, foreignFile] = ['one', 'two'].map((name) => join(temp.path, name));
    assert.ok(foreignFolder !== undefined && foreignFile !== undefined);
    for (const folder of [foreignFolder, foreignFile]) await (await openStore(folder, systemClock)).close();
    chownSync(foreignFolder, 12_345, 12_345);
    chownSync(join(foreignFile, 'talaria.db'), 12_345, 12_345);

    for (const folder of [foreignFolder, foreignFile]) {
      const refused = { code: 'unsafe-home', message: /belongs to another user \(uid 12345/ };
      await assert.rejects(openStore(folder, systemClock), refused);
    }
  },
);

test('a database that is a link to somewhere else is refused', async () => {
  await using folder = await makeTempFolder();
  writeFileSync(join(folder.path, 'elsewhere'), '');
  symlinkSync(join(folder.path, 'elsewhere'), join(folder.path, 'talaria.db'));

  await assert.rejects(openStore(folder.path, systemClock), { code: 'unsafe-home', message: /not a plain file/ });
});

test('network and shared file systems are told from local ones by their number', () => {
  const shared = {
    0x6969: 'NFS',
    0x517b: 'SMB',
    0xff534d42: 'CIFS',
    0xfe534d42: 'SMB',
    0x65735546: 'FUSE (sshfs, a virtual machine or a cloud drive)',
    0x01021997: '9p (a folder of the host)',
    0x00c36400: 'Ceph',
    0x786f4256: 'a VirtualBox shared folder',
  };
  const local = {
    ext4: 0xef53,
    xfs: 0x58465342,
    btrfs: 0x9123683e,
    tmpfs: 0x01021994,
    overlay: 0x794c7630,
    zfs: 0x2fc12fc1,
  };

  for (const [type, name] of Object.entries(shared))
    assert.deepEqual(decideFileSystem('linux', Number(type)), { type: 'shared', name });
  for (const type of Object.values(local)) assert.deepEqual(decideFileSystem('linux', type), { type: 'local' });
  assert.deepEqual(decideFileSystem('linux', 0xff534d42 | 0), { type: 'shared', name: 'CIFS' });
  assert.deepEqual(decideFileSystem('darwin', 2), { type: 'shared', name: 'NFS' });
  assert.deepEqual(decideFileSystem('darwin', 0x1a), { type: 'local' });
});

test('the database is opened with the settings that durability and privacy ask for', async () => {
  await using folder = await makeTempFolder();
  const db = openDatabase(prepareStoreFolder(folder.path));
  const settings = {
    journal_mode: 'wal',
    synchronous: 2,
    fullfsync: 1,
    foreign_keys: 1,
    trusted_schema: 0,
    cell_size_check: 1,
    secure_delete: 1,
    mmap_size: 0,
    temp_store: 2,
    auto_vacuum: 2,
  };

  const found = Object.keys(settings).map((name) => db.get({ sql: `PRAGMA ${name}` }));

  assert.deepEqual(Object.assign({}, ...found), settings);
  db.close();
});

test('opening an existing store writes nothing, so that it waits for no disk', async () => {
  await using folder = await makeTempFolder();
  const database = join(folder.path, 'talaria.db');
  await (await openStore(folder.path, systemClock)).close();
  const before = readFileSync(database);

  const store = await openStore(folder.path, systemClock);
  const logged = statSync(`${database}-wal`).size;
  await store.close();

  assert.equal(logged, 0);
  assert.deepEqual(readFileSync(database), before);
});

test('a SQLite that can lose commits is refused', () => {
  for (const version of ['3.51.2', '3.50.9', '3.9.9', '2.99.99'])
    assert.throws(() => refuseOldSqlite(version), {
      code: 'unsupported',
      message: new RegExp(`SQLite ${version} is too old`),
    });
  for (const version of ['3.51.3', '3.51.10', '3.53.4', '4.0.0']) assert.doesNotThrow(() => refuseOldSqlite(version));
});

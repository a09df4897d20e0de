import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { monitorFileSystem } from './store-fs-monitor.ts';
import { laterMigrations } from './store-migrations.ts';
import { admit, inChat } from './store-samples.ts';

// Lives a whole life of a store and prints every use of the file system that touched its live files.
const [, , folder, raw] = process.argv;
if (folder === undefined) throw new Error('usage: <folder> [open]');

monitorFileSystem((use) => process.stdout.write(`${use}\n`));
const { openSqliteStore } = await import('../../src/store/sqlite/open-store.ts');
const options = { folder, clock: systemClock, log: silentLog };
await (await openSqliteStore(options)).close();
const store = await openSqliteStore({ ...options, migration: { migrations: laterMigrations } });
await openSqliteStore(options).catch(() => undefined);
const session = await store.sessions.at(inChat('one'));
await admit(store, session, 'hello');
await store.blobs.put(session.id, 'text');
await store.search.find('hello', 5);
if (raw === 'open') readFileSync(join(folder, 'talaria.db'));
await store.sessions.delete(session.id);
await store.sessions.at(inChat('two'));
await store.prune(systemClock.now() + 1000);
await store.close();
process.stdout.write('over\n');

import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import type { Store } from '../../src/model/store.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-store.ts';
import { laterMigrations } from './store-migrations.ts';
import { inChat } from './store-samples.ts';

// Opens the store in a folder, writes into it, prints since when it runs, and holds it until it is killed: by the
// object, or, if that is `forgotten`, by nothing but the process.
const [, , folder, way] = process.argv;
if (folder === undefined) throw new Error('usage: <folder> [later|forgotten]');

const start = systemClock.now();
const opened = await openAndWrite(folder);
if (way === 'forgotten') {
  await new Promise((resolve) => setImmediate(resolve));
  globalThis.gc?.();
}
process.stdout.write(`${new Date(start).toISOString()}\n`);
process.stdin.resume();
process.stdin.on('end', () => void opened?.close());

async function openAndWrite(place: string): Promise<Store | undefined> {
  const store = await openSqliteStore({
    folder: place,
    clock: { ...systemClock, now: () => start },
    log: silentLog,
    ...(way === 'later' ? { migration: { migrations: laterMigrations } } : {}),
  });
  await store.sessions.at(inChat('one'));
  return way === 'forgotten' ? undefined : store;
}

import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-store.ts';
import { laterMigrations } from './store-migrations.ts';

// Opens a store with the later schema and kills itself at the given moment of the migration.
const [, , folder, moment, version] = process.argv;
if (folder === undefined) throw new Error('usage: <folder> <moment> <version>');

await openSqliteStore({
  folder,
  clock: systemClock,
  log: silentLog,
  migration: {
    migrations: laterMigrations,
    reach(reached, at) {
      if (reached === moment && at === Number(version)) process.kill(process.pid, 'SIGKILL');
    },
  },
});
process.stdout.write('survived\n');

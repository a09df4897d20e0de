import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../base/clock.ts';
import type { AppError } from '../../base/errors.ts';
import type { Search, StoreTx } from '../../model/store.ts';
import { Database } from './database.ts';
import { explainError } from './explain-error.ts';
import type { RunJob } from './group-commit.ts';
import { schemaVersion } from './migrate.ts';
import { foreignLockMs, refuseOldSqlite } from './open-database.ts';
import { openRows, Ports } from './ports.ts';
import { toPort } from './rows.ts';
import { migrations } from './schema.ts';
import { searchRowsAsTheyAre } from './search.ts';
import { storeFilesIn } from './store-files.ts';
import type { StoreFiles } from './store-files.ts';

/** A store that another process holds, to be read. Whatever would change something is refused. */
export interface StoreBeside extends StoreTx {
  readonly search: Search;
  close(): void;
}

/**
 * Opens the store of a folder that ANOTHER process holds, read-only and through SQLite, so that its locks count for both. In the
 * process that holds it this must never be called: closing the second connection would drop the locks of the first. Each
 * question is a short read of its own, so that the holder never waits for longer than that.
 */
export function openBeside(folder: string, clock: Clock, refusal: AppError): StoreBeside {
  refuseOldSqlite(process.versions['sqlite'] ?? '0');
  const files = storeFilesIn(folder);
  const db = connect(files, refusal);
  const run: RunJob = async (access, work) => {
    if (access === 'write') throw refusal;
    try {
      return work();
    } catch (thrown) {
      throw explainError(thrown, files);
    }
  };
  const ports = new Ports(openRows(db, clock), { run, afterDeletion: () => Promise.resolve() });
  const search = toPort<Search>(searchRowsAsTheyAre(db), ['find', 'lastSaid'], run);
  return Object.assign(ports, { search, close: () => db.close() });
}

function connect(files: StoreFiles, refusal: AppError): Database {
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(files.database, { readOnly: true, timeout: foreignLockMs });
    connection.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0');
    const db = new Database(connection);
    // The holder is an older or a newer program, or has not made its tables yet.
    if (schemaVersion(db) !== migrations.at(-1)?.version) throw refusal;
    return db;
  } catch (thrown) {
    connection?.close();
    throw explainError(thrown, files);
  }
}

import type { Clock } from '../../base/clock.ts';
import { AppError, describeError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Store } from '../../model/store.ts';
import { assembleStore } from './assemble-store.ts';
import { makeBackup } from './backups.ts';
import type { Database } from './database.ts';
import { explainError } from './explain-error.ts';
import { migrate } from './migrate.ts';
import type { MigrationSteps } from './migrate.ts';
import { openDatabase } from './open-database.ts';
import { takeOwnership } from './ownership.ts';
import { migrations } from './schema.ts';
import { prepareStoreFolder } from './store-files.ts';
import type { StoreFiles } from './store-files.ts';

export interface SqliteStoreOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Other steps, and a place to kill the process at, for tests of migrations. */
  readonly migration?: Partial<Pick<MigrationSteps, 'migrations' | 'reach'>>;
}

/**
 * Opens the store in a folder of its own, as the only process that does. It refuses a folder that is not safe, a database
 * of a newer program, and a damaged one.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  try {
    return open(options);
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    const message = `the store in ${options.folder} cannot be opened: ${describeError(thrown)}`;
    throw new AppError('store-failed', message, { cause: thrown });
  }
}

function open(options: SqliteStoreOptions): Store {
  const files = prepareStoreFolder(options.folder);
  const ownership = takeOwnership(files, options.clock.now());
  let db: Database | undefined;
  try {
    db = openDatabase(files);
    migrate(db, migrationSteps(db, files, options));
    return assembleStore({ db, files, ownership, clock: options.clock, log: options.log });
  } catch (thrown) {
    db?.close();
    ownership.release();
    throw explainError(thrown, files);
  }
}

function migrationSteps(
  db: Database,
  files: StoreFiles,
  { clock, log, migration }: SqliteStoreOptions,
): MigrationSteps {
  return {
    migrations,
    now: () => clock.now(),
    backUp(version) {
      const path = makeBackup(db, files.backups, { version, now: clock.now() });
      log.write('info', 'backed up the database before changing its schema', { path });
    },
    ...migration,
  };
}

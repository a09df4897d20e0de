import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../base/errors.ts';
import { closeToOthers } from '../private-folder.ts';
import { Database } from './database.ts';
import type { StoreFiles } from './store-files.ts';

// Older ones can lose commits when a log is reset while someone reads it.
const oldestSqlite = '3.51.3';
// How long a foreign program that holds a lock is waited for. The event loop waits too, so it is short.
export const foreignLockMs = 1000;

// Only of use before the first page exists; said to an existing database it would cost three flushes of the disk.
const settingsOfNew = 'PRAGMA auto_vacuum = INCREMENTAL';
const settings = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA fullfsync = ON;
  PRAGMA foreign_keys = ON;
  PRAGMA trusted_schema = OFF;
  PRAGMA cell_size_check = ON;
  PRAGMA secure_delete = ON;
  PRAGMA mmap_size = 0;
  PRAGMA temp_store = MEMORY;
  PRAGMA journal_size_limit = 16777216;
`;

/** Opens the database with the settings that durability and privacy ask for. A damaged one is refused, untouched. */
export function openDatabase(files: StoreFiles): Database {
  refuseOldSqlite(process.versions['sqlite'] ?? '0');
  if (wasLeftOpen(files)) checkPages(files.database);
  const connection = new DatabaseSync(files.database, { timeout: foreignLockMs });
  try {
    if (statSync(files.database).size === 0) connection.exec(settingsOfNew);
    // Before the log is made: SQLite gives it the mode of the database.
    closeToOthers(files.database);
    connection.exec(settings);
    return new Database(connection);
  } catch (thrown) {
    connection.close();
    throw thrown;
  }
}

export function refuseOldSqlite(version: string): void {
  if (compareVersions(version, oldestSqlite) >= 0) return;
  throw new AppError('unsupported', `SQLite ${version} is too old; ${oldestSqlite} or newer keeps data safe`);
}

/** SQLite removes the log when the last connection closes: where one stands, the last exit was not clean. */
function wasLeftOpen({ database, writeAheadLog }: StoreFiles): boolean {
  return [database, writeAheadLog].every((path) => statSync(path, { throwIfNoEntry: false }) !== undefined);
}

/** Looks through all pages, with a connection that cannot write: not even the log is moved into a damaged file. */
function checkPages(path: string): void {
  const connection = new DatabaseSync(path, { readOnly: true, timeout: foreignLockMs });
  try {
    const found = connection.prepare('PRAGMA quick_check(1)').get();
    const verdict = found?.['quick_check'];
    if (verdict === 'ok') return;
    throw new AppError('corrupt-store', 'the database is damaged', { cause: new Error(String(verdict)) });
  } finally {
    connection.close();
  }
}

function compareVersions(left: string, right: string): number {
  const rights = right.split('.').map(Number);
  const differences = left.split('.').map((part, index) => Number(part) - (rights[index] ?? 0));
  return differences.find((difference) => difference !== 0) ?? 0;
}

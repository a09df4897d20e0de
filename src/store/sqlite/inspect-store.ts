import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { describeError, isAppError } from '../../base/errors.ts';
import type { StoreState } from '../../model/health.ts';
import { newestBackup } from './backups.ts';
import { Database } from './database.ts';
import { schemaVersion } from './migrate.ts';
import { findHolder } from './ownership.ts';
import { peopleRows } from './people.ts';
import { migrations } from './schema.ts';
import { fromSqliteError } from './sqlite-errors.ts';
import { storeFilesIn } from './store-files.ts';
import type { StoreFiles } from './store-files.ts';

const mostBytes = 512 * 1024 * 1024;

/**
 * Looks through a store that nobody holds, and leaves every byte of it as it is. The lock is not taken, so that another
 * process may begin at any moment: what was seen by then is not said.
 */
export function inspectStore(folder: string): StoreState {
  const files = storeFilesIn(folder);
  const before = stampOf(files);
  if (before === undefined) return { type: 'none' };
  const { bytes } = before;
  if (findHolder(folder) !== undefined) return { type: 'held', bytes };
  if (bytes > mostBytes) return { type: 'unchecked', bytes, reason: 'it is too large to be looked through in passing' };
  const seen = look(files, bytes);
  const wasDisturbed = findHolder(folder) !== undefined || stampOf(files)?.stamp !== before.stamp;
  return wasDisturbed ? { type: 'held', bytes } : seen;
}

/** Differs whenever one of the files was written, made or removed; undefined where there is no database. */
function stampOf(files: StoreFiles): { readonly stamp: string; readonly bytes: number } | undefined {
  const found = [files.database, files.writeAheadLog].map((path) => statSync(path, { throwIfNoEntry: false }));
  if (found[0] === undefined) return undefined;
  return {
    stamp: found.map((file) => (file === undefined ? '' : `${file.ino}/${file.size}/${file.mtimeMs}`)).join(' '),
    bytes: found.reduce((sum, file) => sum + (file?.size ?? 0), 0),
  };
}

function look(files: StoreFiles, bytes: number): StoreState {
  const location = openWithoutTrace(files);
  if (location === undefined)
    return { type: 'unchecked', bytes, reason: 'its last end was not orderly; the next start checks it and goes on' };
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(location, { readOnly: true });
    const verdict = String(connection.prepare('PRAGMA quick_check(1)').get()?.['quick_check']);
    if (verdict !== 'ok') return damaged(verdict, files);
    return { type: 'sound', bytes, ...read(new Database(connection)) };
  } catch (thrown) {
    const problem = describeError(thrown);
    if (isAppError(fromSqliteError(thrown), 'corrupt-store')) return damaged(problem, files);
    return { type: 'unreadable', problem: `${files.database} cannot be opened: ${problem}` };
  } finally {
    connection?.close();
  }
}

/**
 * A plain read-only connection makes a log and an index beside the database, and leaves them there. Where there is no log,
 * SQLite is told that nothing changes; where a killed process left one, its index is read and not rebuilt.
 */
function openWithoutTrace({ database, writeAheadLog, sharedMemory }: StoreFiles): URL | undefined {
  const location = pathToFileURL(database);
  if (!isThere(writeAheadLog)) location.search = '?immutable=1';
  else if (isThere(sharedMemory)) location.search = '?readonly_shm=1';
  else return undefined;
  return location;
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function read(db: Database): Omit<Extract<StoreState, { type: 'sound' }>, 'type' | 'bytes'> {
  const version = schemaVersion(db);
  const newestVersion = migrations.at(-1)?.version ?? 0;
  const people = version === newestVersion ? peopleRows(db).list() : undefined;
  return { version, newestVersion, people };
}

function damaged(problem: string, { backups, folder }: StoreFiles): StoreState {
  return { type: 'damaged', problem, backup: newestBackup(backups), folder };
}

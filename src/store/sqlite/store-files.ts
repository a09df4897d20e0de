import { lstatSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { ensurePrivateFolder, refuseForeignOwner } from '../private-folder.ts';
import { decideFileSystem } from './file-system-kind.ts';

/**
 * Where the store keeps things. The database, its `-wal` and its `-shm` may be looked at (stat) and never opened: when a
 * process closes any descriptor of a file, the system drops all of its locks on it, SQLite's too.
 */
export interface StoreFiles {
  readonly folder: string;
  readonly database: string;
  readonly writeAheadLog: string;
  readonly sharedMemory: string;
  readonly ownerLock: string;
  readonly ownerNote: string;
  readonly backups: string;
}

export const ownerLockName = 'owner.db';
export const ownerNoteName = 'owner.json';

/** Makes the folder ready and refuses one where the store would not be safe. */
export function prepareStoreFolder(folder: string): StoreFiles {
  ensurePrivateFolder(folder);
  const kind = decideFileSystem(process.platform, statfsSync(folder).type);
  if (kind.type === 'shared') {
    const message = `${folder} is on ${kind.name}, where a database can lose data; set TALARIA_HOME to a local disk`;
    throw new AppError('unsafe-home', message);
  }
  const files = storeFilesIn(folder);
  refuseForeignFile(files.database);
  return files;
}

/** Where they are, or would be. */
export function storeFilesIn(folder: string): StoreFiles {
  const database = join(folder, 'talaria.db');
  return {
    folder,
    database,
    writeAheadLog: `${database}-wal`,
    sharedMemory: `${database}-shm`,
    ownerLock: join(folder, ownerLockName),
    ownerNote: join(folder, ownerNoteName),
    backups: join(folder, 'backups'),
  };
}

function refuseForeignFile(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isFile()) throw new AppError('unsafe-home', `${path} is not a plain file`);
  refuseForeignOwner(path, found);
}

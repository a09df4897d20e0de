import { AppError, describeError } from '../../base/errors.ts';

// SQLite's result codes; the low byte of an extended code is its kind.
const kinds = { busy: 5, locked: 6, readOnly: 8, corrupt: 11, full: 13, notADatabase: 26 } as const;
// What a full disk looks like where the shared memory of the write-ahead log could not grow.
const cannotGrowSharedMemory = 4874;

/** An error of SQLite with a code of ours and words for a person, or undefined for any other. */
export function fromSqliteError(thrown: unknown): AppError | undefined {
  const code = sqliteCode(thrown);
  if (code === undefined) return undefined;
  if (code === cannotGrowSharedMemory) return diskFull(thrown);
  switch (code & 0xff) {
    case kinds.full:
      return diskFull(thrown);
    case kinds.corrupt:
    case kinds.notADatabase:
      return new AppError('corrupt-store', `the database is damaged: ${describeError(thrown)}`, { cause: thrown });
    case kinds.busy:
    case kinds.locked:
      return new AppError('store-busy', 'another program holds the database, so nothing was stored', { cause: thrown });
    case kinds.readOnly:
      return failed('the database cannot be written: it, or its folder, is read-only', thrown);
    default:
      return failed(`the database failed: ${describeError(thrown)}`, thrown);
  }
}

/** Whether SQLite refused because someone else holds a lock. */
export function isBusy(thrown: unknown): boolean {
  return ((sqliteCode(thrown) ?? 0) & 0xff) === kinds.busy;
}

function sqliteCode(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !('errcode' in thrown)) return undefined;
  return typeof thrown.errcode === 'number' ? thrown.errcode : undefined;
}

function diskFull(cause: unknown): AppError {
  return new AppError('disk-full', 'the disk is full: nothing is stored until there is room again', {
    cause,
  });
}

function failed(message: string, cause: unknown): AppError {
  return new AppError('store-failed', message, { cause });
}

import { AppError } from '../../base/errors.ts';
import { removeBackups } from './backups.ts';
import type { Database, Query } from './database.ts';
import type { GroupCommit } from './group-commit.ts';
import { unindexSome } from './search-index.ts';

export interface Deletions {
  readonly db: Database;
  readonly commits: GroupCommit;
  readonly backups: string;
}

const unfinished: Query<unknown> = { sql: 'SELECT 1 FROM deleted_texts LIMIT 1' };
const emptyTheLog: Query<{ busy: number }> = { sql: 'PRAGMA wal_checkpoint(TRUNCATE)' };

/** Whether the program ended before the traces of a deleted session were removed. */
export function hasTraces(db: Database): boolean {
  return db.get(unfinished) !== undefined;
}

/**
 * Removes what could still be read of deleted sessions: their words in the search indexes, the write-ahead log, which
 * holds pages as they were, and the backups, which cannot be edited. Other rows SQLite overwrites when it deletes them.
 */
export async function removeTraces({ db, commits, backups }: Deletions): Promise<void> {
  while (await commits.run('write', () => unindexSome(db)));
  const checkpoint = await commits.maintain(() => db.get(emptyTheLog));
  removeBackups(backups);
  if (checkpoint?.busy === 0) return;
  const reason = 'another program is reading the database, so that its log still holds traces';
  throw new AppError('store-failed', `it is deleted, but ${reason}; end that program and delete again`);
}

import type { SessionId } from '../../base/ids.ts';
import type { Database, Query } from './database.ts';
import { deleteSession } from './delete-session.ts';
import { removeTraces } from './remove-traces.ts';
import type { Deletions } from './remove-traces.ts';
import { searchIndexes, splitIndex, tidyIndex } from './search-index.ts';

// Small portions, so that the sessions in use are served in between.
const sessionsAtOnce = 20;
const pagesAtOnce = 2000;

const oldSessions: Query<{ id: SessionId }> = {
  sql: `SELECT id FROM sessions
    WHERE active_at < ? AND NOT EXISTS (SELECT 1 FROM turns WHERE session_id = sessions.id AND is_settled = 0)
    ORDER BY active_at LIMIT ?`,
};
const freelist: Query<{ freelist_count: number }> = { sql: 'PRAGMA freelist_count' };

/**
 * Deletes the sessions that were last active before the time, and gives the room back to the file system. A session with
 * an unsettled turn stays: its person was promised an answer.
 */
export async function prune(deletions: Deletions, activeBefore: number): Promise<readonly SessionId[]> {
  const { db, commits } = deletions;
  const deleted: SessionId[] = [];
  for (;;) {
    const portion = await commits.run('write', () => deleteSome(db, activeBefore));
    deleted.push(...portion);
    if (portion.length < sessionsAtOnce) break;
  }
  if (deleted.length === 0) return deleted;
  await removeTraces(deletions);
  for (const index of searchIndexes) {
    await commits.run('write', () => splitIndex(db, index));
    let hasMore = await commits.run('write', () => tidyIndex(db, index, 'first'));
    while (hasMore) hasMore = await commits.run('write', () => tidyIndex(db, index, 'next'));
  }
  while (await commits.maintain(() => giveBackSome(db))) await new Promise((resolve) => setImmediate(resolve));
  await removeTraces(deletions);
  return deleted;
}

function deleteSome(db: Database, activeBefore: number): readonly SessionId[] {
  const old = db.all(oldSessions, activeBefore, sessionsAtOnce);
  for (const { id } of old) deleteSession(db, id);
  return old.map(({ id }) => id);
}

/** Whether there is more to give back. */
function giveBackSome(db: Database): boolean {
  const before = freePages(db);
  if (before === 0) return false;
  db.exec(`PRAGMA incremental_vacuum(${pagesAtOnce})`);
  const after = freePages(db);
  return after > 0 && after < before;
}

function freePages(db: Database): number {
  return db.get(freelist)?.freelist_count ?? 0;
}

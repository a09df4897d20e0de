import { AppError } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';
import type { Database, Query } from './database.ts';

const sessionExists: Query<unknown> = { sql: 'SELECT 1 FROM sessions WHERE id = ?' };

/** Throws `not-found` where there is no such session. */
export function requireSession(db: Database, id: SessionId): void {
  if (db.get(sessionExists, id) === undefined) throw unknownSession(id);
}

export function unknownSession(id: SessionId): AppError {
  return new AppError('not-found', `there is no session ${id}`);
}

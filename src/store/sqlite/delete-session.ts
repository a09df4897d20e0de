import type { SessionId } from '../../base/ids.ts';
import type { Database } from './database.ts';

/**
 * Takes out every row of a session, so that no port finds anything of it. What can still be read from the files is for
 * `removeTraces` to remove.
 */
export function deleteSession(db: Database, id: SessionId): void {
  db.run(
    `INSERT INTO deleted_texts
      SELECT texts.number FROM texts JOIN entries ON entries.number = texts.number WHERE session_id = ?`,
    id,
  );
  db.run(
    `DELETE FROM blobs WHERE id IN (SELECT blob_id FROM session_blobs WHERE session_id = ?)
      AND NOT EXISTS (SELECT 1 FROM session_blobs WHERE blob_id = blobs.id AND session_id <> ?)`,
    id,
    id,
  );
  // Ids are unique in the world, so a name that contains one belongs to its session.
  db.run('DELETE FROM leases WHERE instr(name, ?) > 0', id);
  // Its log, turns, outbox and prompt go with it.
  db.run('DELETE FROM sessions WHERE id = ?', id);
}

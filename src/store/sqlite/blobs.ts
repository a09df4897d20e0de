import { hash } from 'node:crypto';
import type { BlobId } from '../../base/ids.ts';
import type { Blobs } from '../../model/store.ts';
import type { Database, Query } from './database.ts';
import { requireSession } from './require-session.ts';
import type { Rows } from './rows.ts';

const blobOfSession: Query<{ content: Uint8Array }> = {
  sql: 'SELECT content FROM session_blobs JOIN blobs ON id = blob_id WHERE session_id = ? AND blob_id = ?',
};

/** Equal texts are kept once, however many sessions have them; a session reads only what was put for it. */
export function blobRows(db: Database): Rows<Blobs> {
  return {
    put(sessionId, text) {
      requireSession(db, sessionId);
      const content = Buffer.from(text);
      const id = hash('sha256', content) as BlobId;
      db.run('INSERT INTO blobs (id, content) VALUES (?, ?) ON CONFLICT (id) DO NOTHING', id, content);
      db.run('INSERT INTO session_blobs (session_id, blob_id) VALUES (?, ?) ON CONFLICT DO NOTHING', sessionId, id);
      return id;
    },
    read(sessionId, id) {
      const row = db.get(blobOfSession, sessionId, id);
      return row && Buffer.from(row.content).toString();
    },
  };
}

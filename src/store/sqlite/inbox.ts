import { hash } from 'node:crypto';
import type { SessionId, TurnId } from '../../base/ids.ts';
import type { InboundKey } from '../../model/channel.ts';
import type { Inbox } from '../../model/store.ts';
import type { Database, Query } from './database.ts';
import { requireSession } from './require-session.ts';
import type { Rows } from './rows.ts';

const openTurns: Query<{ session_id: SessionId; turn_id: TurnId }> = {
  sql: `SELECT inbox.session_id, turn_id FROM inbox LEFT JOIN turns ON turns.id = turn_id
    WHERE turn_id IS NOT NULL AND coalesce(is_settled, 0) = 0
    GROUP BY turn_id ORDER BY min(inbox.number)`,
};

export function inboxRows(db: Database): Rows<Inbox> {
  return {
    accept(key, turn) {
      const added = db.run(
        `INSERT INTO inbox (digest, session_id, turn_id) SELECT ?, id, ? FROM sessions WHERE id = ?
          ON CONFLICT (digest) DO NOTHING`,
        digestOf(key),
        turn.turnId,
        turn.sessionId,
      );
      if (added === 1) return 'new';
      requireSession(db, turn.sessionId);
      return 'duplicate';
    },
    note(key) {
      const added = db.run('INSERT INTO inbox (digest) VALUES (?) ON CONFLICT (digest) DO NOTHING', digestOf(key));
      return added === 1 ? 'new' : 'duplicate';
    },
    consume(turnId) {
      db.run('UPDATE inbox SET turn_id = NULL WHERE turn_id = ?', turnId);
    },
    open: () => db.all(openTurns).map((row) => ({ sessionId: row.session_id, turnId: row.turn_id })),
  };
}

/** A digest tells a message from every other and says nothing about the chat, so it may outlive the session. */
function digestOf({ platform, account, chat, messageId, revision }: InboundKey): Buffer {
  return hash('sha256', JSON.stringify([platform, account, chat, messageId, revision]), 'buffer');
}

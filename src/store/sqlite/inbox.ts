import { hash } from 'node:crypto';
import type { InboundKey } from '../../model/channel.ts';
import type { Inbox } from '../../model/store.ts';
import type { Database } from './database.ts';
import type { Rows } from './rows.ts';

export function inboxRows(db: Database): Rows<Inbox> {
  return {
    note(key) {
      const added = db.run('INSERT INTO inbox (digest) VALUES (?) ON CONFLICT (digest) DO NOTHING', digestOf(key));
      return added === 1 ? 'new' : 'duplicate';
    },
  };
}

/** A digest tells a message from every other and says nothing about the chat, so it may outlive the session. */
function digestOf({ platform, account, chat, messageId, revision }: InboundKey): Buffer {
  return hash('sha256', JSON.stringify([platform, account, chat, messageId, revision]), 'buffer');
}

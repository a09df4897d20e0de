import type { WebLogins } from '../../model/store.ts';
import type { Database, Query } from './database.ts';
import type { Rows } from './rows.ts';

const standingLogin: Query<{ readonly digest: string }> = {
  sql: 'SELECT digest FROM web_logins WHERE digest = ? AND expires_at > ?',
};

export function webLoginRows(db: Database): Rows<WebLogins> {
  return {
    add({ digest, since, expiresAt }) {
      db.run('DELETE FROM web_logins WHERE expires_at <= ?', since);
      db.run('INSERT INTO web_logins (digest, since, expires_at) VALUES (?, ?, ?)', digest, since, expiresAt);
    },
    has: (digest, now) => db.get(standingLogin, digest, now) !== undefined,
    remove(digest) {
      db.run('DELETE FROM web_logins WHERE digest = ?', digest);
    },
    removeAll: () => db.run('DELETE FROM web_logins'),
  };
}

import type { PersonId } from '../../base/ids.ts';
import type { PairedPerson, People } from '../../model/store.ts';
import type { Database, Query } from './database.ts';
import type { Rows } from './rows.ts';

const allPeople: Query<PairedPerson> = { sql: 'SELECT person, since, role FROM people ORDER BY since, person' };
const personNamed: Query<PairedPerson> = { sql: 'SELECT person, since, role FROM people WHERE person = ?' };
const offersSince: Query<{ person: PersonId; at: number }> = {
  sql: 'SELECT person, at FROM pairing_offers WHERE at >= ? ORDER BY number',
};
const offerOfCode: Query<{ person: PersonId }> = {
  sql: 'SELECT person FROM pairing_offers WHERE digest = ? AND expires_at > ?',
};

const offersKeptMs = 24 * 60 * 60 * 1000;

export function peopleRows(db: Database): Rows<People> {
  return {
    list: () => db.all(allPeople).map(({ person, since, role }) => ({ person, since, role })),
    has: (person) => db.get(personNamed, person) !== undefined,
    offers: (since) => db.all(offersSince, since).map(({ person, at }) => ({ person, at })),
    offer({ digest, person, at, expiresAt }) {
      db.run('DELETE FROM pairing_offers WHERE at < ?', at - offersKeptMs);
      db.run('UPDATE pairing_offers SET digest = NULL WHERE person = ?', person);
      db.run(
        'INSERT INTO pairing_offers (person, digest, at, expires_at) VALUES (?, ?, ?, ?)',
        person,
        digest,
        at,
        expiresAt,
      );
    },
    admit(digest, now) {
      const person = db.get(offerOfCode, digest, now)?.person;
      if (person === undefined) return undefined;
      db.run('UPDATE pairing_offers SET digest = NULL WHERE person = ?', person);
      db.run(
        `INSERT INTO people (person, since, role) VALUES (?, ?, 'guest') ON CONFLICT (person) DO NOTHING`,
        person,
        now,
      );
      return person;
    },
    inviteOwner({ digest, expiresAt }) {
      db.run('DELETE FROM owner_codes');
      db.run('INSERT INTO owner_codes (digest, expires_at) VALUES (?, ?)', digest, expiresAt);
    },
    admitOwner(digest, person, now) {
      if (db.run('DELETE FROM owner_codes WHERE digest = ? AND expires_at > ?', digest, now) === 0) return false;
      db.run('UPDATE pairing_offers SET digest = NULL WHERE person = ?', person);
      db.run(
        `INSERT INTO people (person, since, role) VALUES (?, ?, 'owner')
          ON CONFLICT (person) DO UPDATE SET role = 'owner'`,
        person,
        now,
      );
      return true;
    },
    remove(person) {
      // A code that was handed out before must not undo it.
      db.run('UPDATE pairing_offers SET digest = NULL WHERE person = ?', person);
      return db.run('DELETE FROM people WHERE person = ?', person) === 1;
    },
  };
}

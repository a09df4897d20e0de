import type { PersonId } from '../../base/ids.ts';
import type { PairedPerson, People } from '../../model/store.ts';
import type { Database, Query } from './database.ts';
import type { Rows } from './rows.ts';

interface PersonRow extends Omit<PairedPerson, 'name'> {
  readonly name: string | null;
}

const allPeople: Query<PersonRow> = { sql: 'SELECT person, since, role, name FROM people ORDER BY since, person' };
const personNamed: Query<{ person: PersonId }> = { sql: 'SELECT person FROM people WHERE person = ?' };
const offersSince: Query<{ person: PersonId; at: number }> = {
  sql: 'SELECT person, at FROM pairing_offers WHERE at >= ? ORDER BY number',
};
const offerOfCode: Query<{ person: PersonId; name: string | null }> = {
  sql: 'SELECT person, name FROM pairing_offers WHERE digest = ? AND expires_at > ?',
};

const endOffers = 'UPDATE pairing_offers SET digest = NULL, name = NULL WHERE person = ?';
const offersKeptMs = 24 * 60 * 60 * 1000;

export function peopleRows(db: Database): Rows<People> {
  return {
    list: () => db.all(allPeople).map(toPerson),
    has: (person) => db.get(personNamed, person) !== undefined,
    offers: (since) => db.all(offersSince, since).map(({ person, at }) => ({ person, at })),
    offer({ digest, person, name, at, expiresAt }) {
      db.run('DELETE FROM pairing_offers WHERE at < ?', at - offersKeptMs);
      db.run(endOffers, person);
      db.run(
        'INSERT INTO pairing_offers (person, name, digest, at, expires_at) VALUES (?, ?, ?, ?, ?)',
        person,
        name ?? null,
        digest,
        at,
        expiresAt,
      );
    },
    admit(digest, now) {
      const offer = db.get(offerOfCode, digest, now);
      if (offer === undefined) return undefined;
      const { person, name } = offer;
      db.run(endOffers, person);
      db.run(
        `INSERT INTO people (person, since, role, name) VALUES (?, ?, 'guest', ?) ON CONFLICT (person) DO NOTHING`,
        person,
        now,
        name,
      );
      return person;
    },
    inviteOwner({ digest, expiresAt }) {
      db.run('DELETE FROM owner_codes');
      db.run('INSERT INTO owner_codes (digest, expires_at) VALUES (?, ?)', digest, expiresAt);
    },
    admitOwner(digest, { person, name }, now) {
      if (db.run('DELETE FROM owner_codes WHERE digest = ? AND expires_at > ?', digest, now) === 0) return false;
      db.run(endOffers, person);
      db.run(
        `INSERT INTO people (person, since, role, name) VALUES (?, ?, 'owner', ?)
          ON CONFLICT (person) DO UPDATE SET role = 'owner', name = coalesce(excluded.name, name)`,
        person,
        now,
        name ?? null,
      );
      return true;
    },
    remove(person) {
      // A code that was handed out before must not undo it.
      db.run(endOffers, person);
      return db.run('DELETE FROM people WHERE person = ?', person) === 1;
    },
  };
}

function toPerson({ person, since, role, name }: PersonRow): PairedPerson {
  return { person, since, role, ...(name !== null && { name }) };
}

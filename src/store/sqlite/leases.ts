import type { Clock } from '../../base/clock.ts';
import type { NodeId } from '../../base/ids.ts';
import type { LeaseGrant, Leases } from '../../model/store.ts';
import type { Database, Query } from './database.ts';
import type { Rows } from './rows.ts';

interface Holder {
  readonly owner: NodeId;
  readonly until: number;
}

/**
 * Gives a lease that is free, was held by another run, has ended or is one's own already; that one keeps its epoch. No row
 * comes back where another holds it. Not `INSERT OR REPLACE`, which writes the index of the names anew each time.
 */
const grant: Query<{ readonly epoch: number }> = {
  sql: `INSERT INTO leases (name, epoch, owner, run, until) VALUES (?, 1, ?, ?, ?)
    ON CONFLICT (name) DO UPDATE SET epoch = epoch + (owner IS NOT excluded.owner OR run IS NOT excluded.run),
      owner = excluded.owner, run = excluded.run, until = excluded.until
    WHERE owner IS NULL OR owner = excluded.owner OR run IS NOT excluded.run OR until <= ?
    RETURNING epoch`,
};
const holderOf: Query<Holder> = { sql: 'SELECT owner, until FROM leases WHERE name = ?' };

/**
 * Leases end by the monotonic clock, which no change of the time of day can move. It means nothing to another run of the
 * program, and need not: one process owns the store, so whatever another run held is free.
 */
export function leaseRows(db: Database, clock: Clock, run: string): Rows<Leases> {
  return {
    acquire: (name, owner, ttlMs) => acquire(db, clock, { name, owner, run, ttlMs }),
    renew: (name, owner, ttlMs) =>
      db.run(
        'UPDATE leases SET until = ? WHERE name = ? AND owner = ? AND run = ?',
        clock.monotonic() + ttlMs,
        name,
        owner,
        run,
      ) === 1,
    release(name, owner) {
      // The row stays, so that epochs go on rising.
      db.run('UPDATE leases SET owner = NULL, run = NULL WHERE name = ? AND owner = ? AND run = ?', name, owner, run);
    },
  };
}

interface Claim {
  readonly name: string;
  readonly owner: NodeId;
  readonly run: string;
  readonly ttlMs: number;
}

function acquire(db: Database, clock: Clock, { name, owner, run, ttlMs }: Claim): LeaseGrant {
  const now = clock.monotonic();
  const granted = db.get(grant, name, owner, run, now + ttlMs, now);
  if (granted !== undefined) return { type: 'held', epoch: granted.epoch };
  const held = db.get(holderOf, name);
  return { type: 'taken', by: held?.owner ?? owner, until: clock.now() + ((held?.until ?? now) - now) };
}

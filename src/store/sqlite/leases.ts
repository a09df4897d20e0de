import type { Clock } from '../../base/clock.ts';
import type { NodeId } from '../../base/ids.ts';
import type { LeaseGrant, Leases } from '../../model/store.ts';
import type { Database, Query } from './database.ts';
import type { Rows } from './rows.ts';

interface LeaseRow {
  readonly epoch: number;
  readonly owner: NodeId | null;
  readonly run: string | null;
  readonly until: number;
}

// Not `INSERT OR REPLACE`, which writes the index of the names anew each time.
const grant = `INSERT INTO leases (name, epoch, owner, run, until) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (name) DO UPDATE SET epoch = excluded.epoch, owner = excluded.owner, run = excluded.run, until = excluded.until`;
const leaseNamed: Query<LeaseRow> = { sql: 'SELECT epoch, owner, run, until FROM leases WHERE name = ?' };

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
  const held = db.get(leaseNamed, name);
  const isOurs = held?.owner === owner && held.run === run;
  if (held !== undefined && held.owner !== null && held.run === run && !isOurs && held.until > now)
    return { type: 'taken', by: held.owner, until: clock.now() + (held.until - now) };

  const epoch = (held?.epoch ?? 0) + (isOurs ? 0 : 1);
  db.run(grant, name, epoch, owner, run, now + ttlMs);
  return { type: 'held', epoch };
}

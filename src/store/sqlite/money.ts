import type { Clock } from '../../base/clock.ts';
import { newId } from '../../base/ids.ts';
import type { MicroUsd } from '../../model/money.ts';
import type { Money, Reserved, SpendLimit } from '../../model/store.ts';
import type { Database, Query } from './database.ts';
import type { Rows } from './rows.ts';

const spentInScope: Query<{ amount: MicroUsd }> = { sql: 'SELECT amount FROM spending WHERE scope = ?' };
const takenReservation: Query<{ scope: string; amount: MicroUsd }> = {
  sql: 'DELETE FROM reservations WHERE id = ? RETURNING scope, amount',
};

/** What is set aside counts as spent until it is settled; a crash in between leaves the higher figure. */
export function moneyRows(db: Database, clock: Clock): Rows<Money> {
  return {
    reserve: (amount, limits) => reserve(db, clock.now(), amount, limits),
    settle(id, cost) {
      for (const { scope, amount } of db.all(takenReservation, id)) add(db, scope, cost - amount);
    },
    spent: (scope) => spent(db, scope),
  };
}

function reserve(db: Database, now: number, amount: MicroUsd, limits: readonly SpendLimit[]): Reserved {
  for (const { scope, limit } of limits) {
    const already = spent(db, scope);
    if (already + amount > limit) return { type: 'over-limit', scope, spent: already, limit };
  }
  const id = newId('reservation', now);
  for (const scope of new Set(limits.map((limit) => limit.scope))) {
    add(db, scope, amount);
    db.run('INSERT INTO reservations (id, scope, amount) VALUES (?, ?, ?)', id, scope, amount);
  }
  return { type: 'reserved', id };
}

function add(db: Database, scope: string, amount: MicroUsd): void {
  db.run(
    'INSERT INTO spending (scope, amount) VALUES (?, ?) ON CONFLICT (scope) DO UPDATE SET amount = amount + excluded.amount',
    scope,
    amount,
  );
}

function spent(db: Database, scope: string): MicroUsd {
  return db.get(spentInScope, scope)?.amount ?? 0;
}

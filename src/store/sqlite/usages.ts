import type { Clock } from '../../base/clock.ts';
import type { SessionId, TurnId } from '../../base/ids.ts';
import type { CacheLife, RuntimeName } from '../../model/runtime.ts';
import type { UsageRecord, Usages } from '../../model/store.ts';
import type { Database, Query } from './database.ts';
import type { Rows } from './rows.ts';

interface UsageRow {
  readonly session_id: SessionId | null;
  readonly turn_id: TurnId;
  readonly at: number;
  readonly runtime: RuntimeName;
  readonly purpose: UsageRecord['purpose'];
  readonly fresh: number;
  readonly cache_read: number;
  readonly cache_write: number;
  readonly output: number;
  readonly reasoning: number;
  readonly cache_life: CacheLife | null;
}

const columns =
  'session_id, turn_id, at, runtime, purpose, fresh, cache_read, cache_write, output, reasoning, cache_life';
const select = `SELECT ${columns} FROM usages`;
const ofAll: Query<UsageRow> = { sql: `${select} WHERE at >= ? ORDER BY at, number` };
const ofSession: Query<UsageRow> = { sql: `${select} WHERE session_id = ? AND at >= ? ORDER BY at, number` };

export function usageRows(db: Database, clock: Clock): Rows<Usages> {
  return {
    add({ sessionId, turnId }, { runtime, purpose, usage, cacheLife }) {
      db.run(
        `INSERT INTO usages (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        sessionId,
        turnId,
        clock.now(),
        runtime,
        purpose,
        usage.fresh,
        usage.cacheRead,
        usage.cacheWrite,
        usage.output,
        usage.reasoning,
        cacheLife ?? null,
      );
    },
    list({ sessionId, since = 0 }) {
      const rows = sessionId === undefined ? db.all(ofAll, since) : db.all(ofSession, sessionId, since);
      return rows.map(toRecord);
    },
  };
}

function toRecord(row: UsageRow): UsageRecord {
  return {
    sessionId: row.session_id ?? undefined,
    turnId: row.turn_id,
    at: row.at,
    runtime: row.runtime,
    purpose: row.purpose,
    usage: {
      fresh: row.fresh,
      cacheRead: row.cache_read,
      cacheWrite: row.cache_write,
      output: row.output,
      reasoning: row.reasoning,
    },
    cacheLife: row.cache_life ?? undefined,
  };
}

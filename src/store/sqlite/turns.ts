import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import type { SessionId, TurnId } from '../../base/ids.ts';
import type { Fence, TurnLog, WaitingTurn } from '../../model/store.ts';
import type { LoggedEntry, TurnEntry, TurnRef } from '../../model/turn.ts';
import type { Database, Query } from './database.ts';
import { entryText, titleFrom } from './entry-text.ts';
import { newestEpoch } from './leases.ts';
import { orderTurns } from './order-turns.ts';
import type { UnsettledRow } from './order-turns.ts';
import { unknownSession } from './require-session.ts';
import type { Rows } from './rows.ts';

interface EntryRow {
  readonly seq: number;
  readonly turn_id: TurnId;
  readonly at: number;
  readonly entry: string;
}

const entriesBehind: Query<EntryRow> = {
  sql: 'SELECT seq, turn_id, at, entry FROM entries WHERE session_id = ? AND seq > ? ORDER BY seq',
};
// What an entry begins with is its type. A range, unlike a pattern, compares no more than that beginning.
const latestConsents: Query<EntryRow & { readonly session_id: SessionId }> = {
  sql: `SELECT session_id, seq, turn_id, at, entry FROM entries
    WHERE entry >= '{"type":"approval.' AND entry < '{"type":"approval/' ORDER BY number DESC LIMIT ?`,
};
const endOfLog: Query<{ last_seq: number; title: string }> = {
  sql: 'SELECT last_seq, title FROM sessions WHERE id = ?',
};
const turnById: Query<{ session_id: SessionId; is_settled: number }> = {
  sql: 'SELECT session_id, is_settled FROM turns WHERE id = ?',
};
const selectUnsettled = `
  SELECT session_id, id, interrupts, (SELECT number FROM turns AS other WHERE other.id = turns.interrupts)
    AS interrupted_number FROM turns WHERE is_settled = 0`;
const unsettledTurns: Query<UnsettledRow> = { sql: `${selectUnsettled} ORDER BY number` };
const unsettledOfSession: Query<UnsettledRow> = { sql: `${selectUnsettled} AND session_id = ? ORDER BY number` };

// Never that of a deleted entry whose text is still in the search indexes.
const freeNumber = `(
  SELECT 1 + max(coalesce((SELECT max(number) FROM entries), 0), coalesce((SELECT max(number) FROM texts), 0))
)`;

export function turnRows(db: Database, clock: Clock): Rows<TurnLog> {
  return {
    append: (turn, entries, fence) => append(db, clock.now(), turn, { entries, fence }),
    after: (sessionId, seq) => db.all(entriesBehind, sessionId, seq).map((row) => toLogged(sessionId, row)),
    unsettled: (sessionId) => unsettled(db, sessionId),
    consents: (limit) =>
      db
        .all(latestConsents, limit)
        .map((row) => toLogged(row.session_id, row))
        .toReversed(),
  };
}

interface Addition {
  readonly entries: readonly TurnEntry[];
  readonly fence: Fence | undefined;
}

/** Checks everything before the first write, so that a call that is refused inside a transaction leaves nothing. */
function append(db: Database, at: number, turn: TurnRef, { entries, fence }: Addition): readonly LoggedEntry[] {
  const session = db.get(endOfLog, turn.sessionId);
  if (session === undefined) throw unknownSession(turn.sessionId);
  if (fence !== undefined) refuseOldEpoch(db, fence);
  const isKnown = refuseSettled(db, turn, entries);
  const kept = entries.map((entry) => JSON.stringify(entry));
  if (kept.length === 0) return [];

  if (!isKnown) insertTurn(db, turn, entries);
  const logged = entries.map((entry, index) => ({ ...turn, seq: session.last_seq + 1 + index, at, entry }));
  for (const [index, each] of logged.entries()) insertEntry(db, each, kept[index] ?? '');
  if (entries.at(-1)?.type === 'turn.settled') db.run('UPDATE turns SET is_settled = 1 WHERE id = ?', turn.turnId);
  db.run(
    'UPDATE sessions SET last_seq = ?, active_at = ?, title = ? WHERE id = ?',
    session.last_seq + entries.length,
    at,
    session.title === '' ? firstTitle(entries) : session.title,
    turn.sessionId,
  );
  return logged;
}

function insertTurn(db: Database, { turnId, sessionId }: TurnRef, entries: readonly TurnEntry[]): void {
  const admitted = entries.find((entry) => entry.type === 'turn.admitted');
  db.run(
    'INSERT INTO turns (id, session_id, is_settled, interrupts) VALUES (?, ?, 0, ?)',
    turnId,
    sessionId,
    admitted?.interrupts ?? null,
  );
}

function refuseOldEpoch(db: Database, fence: Fence): void {
  const newest = newestEpoch(db, fence.lease);
  if (newest <= fence.epoch) return;
  throw new AppError('fenced', `${fence.lease} was taken over (epoch ${newest}, ours was ${fence.epoch})`);
}

/** Whether the turn has entries already. */
function refuseSettled(db: Database, turn: TurnRef, entries: readonly TurnEntry[]): boolean {
  const known = db.get(turnById, turn.turnId);
  if (known !== undefined && known.session_id !== turn.sessionId)
    throw new AppError('not-found', `session ${turn.sessionId} has no turn ${turn.turnId}`);
  const settledAt = entries.findIndex((entry) => entry.type === 'turn.settled');
  const addsBehindResult = settledAt !== -1 && settledAt < entries.length - 1;
  if (known?.is_settled === 1 || addsBehindResult)
    throw new AppError('fenced', `turn ${turn.turnId} is settled and takes no more entries`);
  return known !== undefined;
}

function insertEntry(db: Database, logged: LoggedEntry, kept: string): void {
  const number = db.insert(
    `INSERT INTO entries (number, session_id, seq, turn_id, at, entry) VALUES (${freeNumber}, ?, ?, ?, ?, ?)`,
    logged.sessionId,
    logged.seq,
    logged.turnId,
    logged.at,
    kept,
  );
  const found = entryText(logged.entry);
  if (found !== undefined)
    db.run('INSERT INTO texts (number, author, text) VALUES (?, ?, ?)', number, found.author, found.text);
}

function firstTitle(entries: readonly TurnEntry[]): string {
  for (const entry of entries) {
    const found = entryText(entry);
    if (found?.author === 'user') return titleFrom(found.text);
  }
  return '';
}

function unsettled(db: Database, sessionId: SessionId | undefined): readonly WaitingTurn[] {
  return orderTurns(sessionId === undefined ? db.all(unsettledTurns) : db.all(unsettledOfSession, sessionId));
}

function toLogged(sessionId: SessionId, row: EntryRow): LoggedEntry {
  return { sessionId, turnId: row.turn_id, seq: row.seq, at: row.at, entry: JSON.parse(row.entry) as TurnEntry };
}

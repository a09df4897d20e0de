import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import type { SessionId, TurnId } from '../../base/ids.ts';
import type { Fence, TurnLog, WaitingTurn } from '../../model/store.ts';
import type { LoggedEntry, TurnEntry, TurnRef } from '../../model/turn.ts';
import type { Database, Query } from './database.ts';
import { entryText, titleFrom } from './entry-text.ts';
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
/** Where entries of a turn are to be added: the end of the session's log, the turn if there is one, and its lease's epoch. */
interface LogEnd {
  readonly last_seq: number;
  readonly title: string;
  readonly turn_session: SessionId | null;
  readonly is_settled: number | null;
  /** The highest that was ever granted. */
  readonly epoch: number | null;
}

// In one look, since every entry of every turn needs it.
const endOfLog: Query<LogEnd> = {
  sql: `SELECT (SELECT coalesce(max(seq), 0) FROM entries WHERE session_id = sessions.id) AS last_seq, title, turns.session_id AS turn_session, is_settled, epoch FROM sessions
    LEFT JOIN turns ON turns.id = ? LEFT JOIN leases ON leases.name = ? WHERE sessions.id = ?`,
};
// Told which index to use: SQLite takes that of all turns of a session for as good, and it grows with every turn.
const selectUnsettled = `
  SELECT session_id, id, interrupts, reply_to, (SELECT number FROM turns AS other WHERE other.id = turns.interrupts)
    AS interrupted_number FROM turns INDEXED BY turns_unsettled WHERE is_settled = 0`;
const unsettledTurns: Query<UnsettledRow> = { sql: `${selectUnsettled} ORDER BY number` };
const unsettledOfSession: Query<UnsettledRow> = { sql: `${selectUnsettled} AND session_id = ? ORDER BY number` };

// Its number is never that of a deleted entry whose text is still in the search indexes.
const insertNumbered = `INSERT INTO entries (number, session_id, seq, turn_id, at, entry) VALUES ((
  SELECT 1 + max(coalesce((SELECT max(number) FROM entries), 0), coalesce((SELECT max(number) FROM texts), 0))
), ?, ?, ?, ?, ?)`;

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
  const end = db.get(endOfLog, turn.turnId, fence?.lease ?? null, turn.sessionId);
  if (end === undefined) throw unknownSession(turn.sessionId);
  if (fence !== undefined) refuseOldEpoch(end, fence);
  refuseSettled(end, turn, entries);
  const kept = entries.map((entry) => JSON.stringify(entry));
  if (kept.length === 0) return [];

  if (end.turn_session === null) insertTurn(db, turn, entries);
  const logged = entries.map((entry, index) => ({ ...turn, seq: end.last_seq + 1 + index, at, entry }));
  for (const [index, each] of logged.entries()) insertEntry(db, each, kept[index] ?? '');
  if (entries.at(-1)?.type === 'turn.settled') db.run('UPDATE turns SET is_settled = 1 WHERE id = ?', turn.turnId);
  if (entries.some(marksActivity))
    noteActivity(db, at, turn.sessionId, end.title === '' ? firstTitle(entries) : end.title);
  return logged;
}

/** A session is active when someone speaks and when a turn ends. What a turn does in between need not touch it. */
function marksActivity({ type }: TurnEntry): boolean {
  return type === 'turn.admitted' || type === 'turn.steered' || type === 'turn.settled';
}

function noteActivity(db: Database, at: number, sessionId: SessionId, title: string): void {
  db.run('UPDATE sessions SET active_at = ?, title = ? WHERE id = ?', at, title, sessionId);
}

function insertTurn(db: Database, { turnId, sessionId }: TurnRef, entries: readonly TurnEntry[]): void {
  const admitted = entries.find((entry) => entry.type === 'turn.admitted');
  db.run(
    'INSERT INTO turns (id, session_id, is_settled, interrupts, reply_to) VALUES (?, ?, 0, ?, ?)',
    turnId,
    sessionId,
    admitted?.interrupts ?? null,
    admitted?.replyTo === undefined ? null : JSON.stringify(admitted.replyTo),
  );
}

function refuseOldEpoch({ epoch }: LogEnd, fence: Fence): void {
  const newest = epoch ?? 0;
  if (newest <= fence.epoch) return;
  throw new AppError('fenced', `${fence.lease} was taken over (epoch ${newest}, ours was ${fence.epoch})`);
}

function refuseSettled(end: LogEnd, turn: TurnRef, entries: readonly TurnEntry[]): void {
  if (end.turn_session !== null && end.turn_session !== turn.sessionId)
    throw new AppError('not-found', `session ${turn.sessionId} has no turn ${turn.turnId}`);
  const settledAt = entries.findIndex((entry) => entry.type === 'turn.settled');
  const addsBehindResult = settledAt !== -1 && settledAt < entries.length - 1;
  if (end.is_settled === 1 || addsBehindResult)
    throw new AppError('fenced', `turn ${turn.turnId} is settled and takes no more entries`);
}

function insertEntry(db: Database, logged: LoggedEntry, kept: string): void {
  const { sessionId, seq, turnId, at } = logged;
  const number = db.insert(insertNumbered, sessionId, seq, turnId, at, kept);
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

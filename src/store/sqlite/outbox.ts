import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import type { OutboxId, SessionId } from '../../base/ids.ts';
import type { Outbound, OutboundFile, OutboundKind, Receipt } from '../../model/channel.ts';
import { addressKey } from '../../model/session.ts';
import type { KeptOutbound, NewOutbound, Outbox, QueuedOutbound } from '../../model/store.ts';
import type { Database, Query } from './database.ts';
import { unknownSession } from './require-session.ts';
import type { Rows } from './rows.ts';
import { fromAddress, toAddress } from './sessions.ts';
import type { AddressColumns } from './sessions.ts';

interface OutboxRow extends AddressColumns {
  readonly id: OutboxId;
  readonly address_key: string;
  readonly kind: OutboundKind;
  readonly text: string;
  /** JSON; NULL for none. */
  readonly files: string | null;
  readonly copy: Outbound['copy'];
  readonly state: QueuedOutbound['state'];
  readonly attempts: number;
  readonly not_before: number;
  readonly is_seen: number;
  readonly sent_by: string | null;
  readonly reply_to: string | null;
}

interface KeptColumns {
  readonly number: number;
  readonly after_seq: number;
  readonly at: number;
}

const columns =
  'id, address_key, platform, account, chat, thread, member, kind, text, files, copy, state, attempts, not_before, is_seen, sent_by, reply_to';
const isOpen = `state IN ('queued', 'sending')`;

const openAtAddress: Query<OutboxRow> = {
  sql: `SELECT ${columns} FROM outbox WHERE platform = ? AND ${isOpen} AND address_key = ? ORDER BY number`,
};
const openOnPlatform: Query<OutboxRow> = {
  sql: `SELECT ${columns} FROM outbox WHERE platform = ? AND ${isOpen} ORDER BY number`,
};
const messagesBehind: Query<OutboxRow & KeptColumns> = {
  sql: `SELECT ${columns}, number, after_seq, at FROM outbox WHERE session_id = ? AND number > ? ORDER BY number`,
};
const messageById: Query<OutboxRow> = { sql: `SELECT ${columns} FROM outbox WHERE id = ?` };

/** `run` names this run of the program: what another run left in `sending` may or may not have arrived. */
export function outboxRows(db: Database, clock: Clock, run: string): Rows<Outbox> {
  return {
    enqueue: (message) => enqueue(db, clock.now(), message),
    due(platform, now, address) {
      db.run(
        `UPDATE outbox SET state = 'expired' WHERE platform = ? AND ${isOpen} AND not_after < ?
          AND (state = 'queued' OR sent_by <> ?)`,
        platform,
        now,
        run,
      );
      const rows =
        address === undefined ? db.all(openOnPlatform, platform) : db.all(openAtAddress, platform, addressKey(address));
      const open = rows.map((row) => reclaim(row, run));
      return inOrder(open, now).map(toQueued);
    },
    waiting(platform) {
      const heads = new Map<string, OutboxRow>();
      for (const row of db.all(openOnPlatform, platform)) {
        if (!heads.has(row.address_key)) heads.set(row.address_key, row);
      }
      return [...heads.values()].map((row) => ({ address: toAddress(row), at: row.not_before }));
    },
    sending(id) {
      const started = db.run(
        `UPDATE outbox SET copy = CASE WHEN (state = 'sending' OR is_seen = 1) AND sent_by <> ? THEN 'repeat' ELSE copy END,
          state = 'sending', attempts = attempts + 1, sent_by = ? WHERE id = ? AND ${isOpen}`,
        run,
        run,
        id,
      );
      if (started === 0) throw new AppError('not-found', `there is no message ${id} to send`);
    },
    settle: (id, receipt, now) => settle(db, id, receipt, now),
    get(id) {
      const row = db.get(messageById, id);
      return row && toQueued(reclaim(row, run));
    },
    after: (sessionId, number) => after(db, sessionId, number),
  };
}

function enqueue(db: Database, now: number, message: NewOutbound): OutboxId {
  const { sessionId, address, kind, text, files = [], notAfter, replyTo, state = 'queued' } = message;
  const id = newId('outbox', now);
  const added = db.run(
    `INSERT INTO outbox (id, session_id, address_key, platform, account, chat, thread, member, kind, text, files, copy, state,
      attempts, not_before, not_after, reply_to, after_seq, at)
      SELECT ?, id, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'first', ?, 0, 0, ?, ?,
        (SELECT coalesce(max(seq), 0) FROM entries WHERE session_id = sessions.id), ? FROM sessions WHERE id = ?`,
    id,
    addressKey(address),
    ...fromAddress(address),
    kind,
    text,
    files.length === 0 ? null : JSON.stringify(files),
    state,
    notAfter,
    replyTo ?? null,
    now,
    sessionId,
  );
  if (added === 0) throw unknownSession(sessionId);
  return id;
}

function after(db: Database, sessionId: SessionId, behind: number): readonly KeptOutbound[] {
  return db.all(messagesBehind, sessionId, behind).map((row) => {
    const { number, after_seq: afterSeq, at } = row;
    return { number, afterSeq, at, message: toQueued(row).message };
  });
}

/** A row that a dead run was sending, or had sent in part, is to be sent again, marked. */
function reclaim(row: OutboxRow, run: string): OutboxRow {
  const isInDoubt = row.state === 'sending' || (row.state === 'queued' && row.is_seen === 1);
  return isInDoubt && row.sent_by !== run ? { ...row, state: 'queued', copy: 'repeat' } : row;
}

/** What may go out now: nothing that waits or is under way, and nothing behind it in the same place. */
function inOrder(rows: readonly OutboxRow[], now: number): readonly OutboxRow[] {
  const heldUp = new Set<string>();
  return rows.filter((row) => {
    if (row.state === 'sending' || row.not_before > now) heldUp.add(row.address_key);
    return !heldUp.has(row.address_key);
  });
}

function settle(db: Database, id: OutboxId, receipt: Receipt, now: number): void {
  switch (receipt.type) {
    case 'sent':
      return close(db, id, 'sent', receipt.platformId);
    case 'refused':
      return close(db, id, 'failed', receipt.reason);
    case 'retry':
      db.run(
        `UPDATE outbox SET state = 'queued', not_before = ?, note = ?, is_seen = MAX(is_seen, ?) WHERE id = ? AND ${isOpen}`,
        now + receipt.afterMs,
        receipt.reason,
        receipt.seen === 'maybe' ? 1 : 0,
        id,
      );
      return;
    case 'unknown':
      // It may have arrived: one marked copy more, and never a third.
      db.run(
        `UPDATE outbox SET state = CASE copy WHEN 'first' THEN 'queued' ELSE 'failed' END, copy = 'repeat', note = ?
          WHERE id = ? AND ${isOpen}`,
        receipt.reason,
        id,
      );
  }
}

function close(db: Database, id: OutboxId, state: 'sent' | 'failed', note: string): void {
  db.run(`UPDATE outbox SET state = ?, note = ? WHERE id = ? AND ${isOpen}`, state, note, id);
}

function toQueued(row: OutboxRow): QueuedOutbound {
  const { id, kind, text, copy, attempts, state } = row;
  const replyTo = row.reply_to === null ? {} : { replyTo: row.reply_to };
  const files = row.files === null ? {} : { files: JSON.parse(row.files) as readonly OutboundFile[] };
  const message: Outbound = { id, address: toAddress(row), kind, text, copy, digest: undefined, ...files, ...replyTo };
  return { message, attempts, state };
}

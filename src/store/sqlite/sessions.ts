import type { Clock } from '../../base/clock.ts';
import { newId } from '../../base/ids.ts';
import type { PersonId, SessionId } from '../../base/ids.ts';
import { addressKey } from '../../model/session.ts';
import type { Address, FrozenPrompt, Session, SessionSettings } from '../../model/session.ts';
import type { NewSession, SessionFilter, Sessions } from '../../model/store.ts';
import type { Database, Query } from './database.ts';
import { deleteSession } from './delete-session.ts';
import { requireSession, unknownSession } from './require-session.ts';
import type { Rows } from './rows.ts';

export interface AddressColumns {
  readonly platform: string;
  readonly account: string;
  readonly chat: string;
  readonly thread: string;
  /** Empty for none. */
  readonly member: PersonId | '';
}

interface SessionRow extends AddressColumns {
  readonly id: SessionId;
  readonly person: PersonId;
  readonly title: string;
  readonly workdir: string;
  readonly created_at: number;
  readonly active_at: number;
  readonly settings: string;
  readonly is_replaced: number;
}

const select = `
  SELECT id, platform, account, chat, thread, member, person, title, workdir, created_at, active_at, settings, is_replaced
  FROM sessions`;

const answeringSession: Query<SessionRow> = { sql: `${select} WHERE address_key = ? AND answers = 1` };
const sessionById: Query<SessionRow> = { sql: `${select} WHERE id = ?` };
const sessionsBetween: Query<SessionRow> = { sql: `${select} WHERE id >= ? AND id < ? ORDER BY id` };
const sessionsEnding: Query<SessionRow> = { sql: `${select} WHERE substr(id, -length(?)) = ? ORDER BY id` };
const recentSessions: Query<SessionRow> = {
  sql: `${select} WHERE platform = coalesce(?, platform) AND account = coalesce(?, account) AND chat = coalesce(?, chat)
    AND member = coalesce(?, member) AND person = coalesce(?, person)
    AND (? OR EXISTS (SELECT 1 FROM entries WHERE session_id = sessions.id)) ORDER BY active_at DESC, number DESC LIMIT ?`,
};
const promptOfSession: Query<{ prompt: string }> = { sql: 'SELECT prompt FROM frozen_prompts WHERE session_id = ?' };

// What is shorter is more likely a number from some list than part of an id.
const fewestCharacters = 3;

// Behind every text that begins with the same characters.
const highestCharacter = '\u{10FFFF}';

export function sessionRows(db: Database, clock: Clock): Rows<Sessions> {
  return {
    at: (where) => answering(db, where.address) ?? begin(db, clock.now(), where),
    renew(where) {
      replace(db, where.address);
      return begin(db, clock.now(), where);
    },
    resume: (id, address, person) => resume(db, id, { address, person }, clock.now()),
    find: (address) => answering(db, address),
    get: (id) => find(db, id),
    matching: (written) => matching(db, written),
    list: (filter) => list(db, filter),
    setTitle(id, title) {
      requireSession(db, id);
      db.run('UPDATE sessions SET title = ? WHERE id = ?', title, id);
    },
    freeze(id, prompt) {
      requireSession(db, id);
      db.run('INSERT OR REPLACE INTO frozen_prompts (session_id, prompt) VALUES (?, ?)', id, JSON.stringify(prompt));
    },
    frozenPrompt(id) {
      const row = db.get(promptOfSession, id);
      return row && (JSON.parse(row.prompt) as FrozenPrompt);
    },
    configure(id, settings) {
      requireSession(db, id);
      const now = clock.now();
      db.run('UPDATE sessions SET settings = ?, active_at = ? WHERE id = ?', JSON.stringify(settings), now, id);
    },
    delete: (id) => deleteSession(db, id),
  };
}

export function toAddress({ platform, account, chat, thread, member }: AddressColumns): Address {
  return { platform, account, chat, thread, ...(member !== '' && { member }) };
}

/** In the order of the columns: platform, account, chat, thread, member. */
export function fromAddress({ platform, account, chat, thread, member }: Address): readonly string[] {
  return [platform, account, chat, thread, member ?? ''];
}

function answering(db: Database, address: Address): Session | undefined {
  const row = db.get(answeringSession, addressKey(address));
  return row && toSession(row);
}

function begin(db: Database, now: number, { address, person, workdir }: NewSession): Session {
  const id = newId('session', now);
  db.run(
    `INSERT INTO sessions (id, address_key, platform, account, chat, thread, member, person, workdir, title, created_at,
      active_at, answers) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?, ?, 1)`,
    id,
    addressKey(address),
    ...fromAddress(address),
    person,
    workdir,
    now,
    now,
  );
  return { id, address, person, title: '', workdir, createdAt: now, activeAt: now, settings: {} };
}

function replace(db: Database, address: Address): void {
  const key = addressKey(address);
  db.run('UPDATE sessions SET answers = 0, is_replaced = 1 WHERE address_key = ? AND answers = 1', key);
}

function retire(db: Database, address: Address): void {
  db.run('UPDATE sessions SET answers = 0 WHERE address_key = ? AND answers = 1', addressKey(address));
}

interface Resumption {
  readonly address: Address | undefined;
  readonly person: PersonId | undefined;
}

function resume(db: Database, id: SessionId, to: Resumption, now: number): Session {
  const session = find(db, id);
  if (session === undefined) throw unknownSession(id);
  const { address = session.address, person = session.person } = to;
  retire(db, address);
  db.run(
    `UPDATE sessions SET answers = 1, is_replaced = 0, active_at = ?, address_key = ?, platform = ?, account = ?, chat = ?, thread = ?,
      member = ?, person = ? WHERE id = ?`,
    now,
    addressKey(address),
    ...fromAddress(address),
    person,
    id,
  );
  const { ended: _over, ...goesOn } = session;
  return { ...goesOn, address, person, activeAt: now };
}

function list(db: Database, { platform, chat, person, limit, stage }: SessionFilter): readonly Session[] {
  const wished = chat?.platform ?? platform ?? null;
  const takesEmpty = stage === 'begun' ? 0 : 1;
  const { account = null, chat: where = null } = chat ?? {};
  const member = chat === undefined ? null : (chat.member ?? '');
  return db.all(recentSessions, wished, account, where, member, person ?? null, takesEmpty, limit).map(toSession);
}

function find(db: Database, id: SessionId): Session | undefined {
  const row = db.get(sessionById, id);
  return row && toSession(row);
}

function matching(db: Database, written: string): readonly Session[] {
  const typed = written.trim().toLowerCase();
  if (typed.length < fewestCharacters) return [];
  const prefix = typed.startsWith('ses_') ? typed : `ses_${typed}`;
  const begun = db.all(sessionsBetween, prefix, prefix + highestCharacter);
  return (begun.length > 0 ? begun : db.all(sessionsEnding, typed, typed)).map(toSession);
}

function toSession(row: SessionRow): Session {
  return {
    id: row.id,
    address: toAddress(row),
    person: row.person,
    title: row.title,
    workdir: row.workdir,
    createdAt: row.created_at,
    activeAt: row.active_at,
    settings: JSON.parse(row.settings) as SessionSettings,
    ...(row.is_replaced === 1 && { ended: 'replaced' }),
  };
}

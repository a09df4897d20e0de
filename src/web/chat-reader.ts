import type { SessionId, TurnId } from '../base/ids.ts';
import { partsToText } from '../model/message.ts';
import type { Address, Session } from '../model/session.ts';
import type { KeptOutbound, Outbox, Sessions, TurnLog } from '../model/store.ts';
import type { LoggedEntry } from '../model/turn.ts';
import type { ChatFile, ChatItem } from './chat-item.ts';
import { TurnTrace } from './turn-trace.ts';

/** How far someone has read: the session, its last entry and its last message. */
export interface Cursor {
  readonly session: SessionId;
  readonly seq: number;
  readonly number: number;
  /** The first entry before that which is needed to understand what follows, if there is one. */
  readonly since?: number;
}

/** What there is to read: from the beginning of a session, or more of the one that was read before. */
export interface Reading {
  readonly from: 'beginning' | 'cursor';
  readonly session: Session | undefined;
  readonly items: readonly { readonly item: ChatItem; readonly cursor: Cursor }[];
  readonly cursor: Cursor | undefined;
}

export interface ChatReaderDeps {
  readonly sessions: Pick<Sessions, 'find'>;
  readonly turns: Pick<TurnLog, 'after'>;
  readonly outbox: Pick<Outbox, 'after'>;
}

const written = /^(ses_[0-9a-z]+)\.(\d{1,15})\.(\d{1,15})(?:\.(\d{1,15}))?$/;

/** Reads what was said in a chat behind a cursor. Whoever reads on from the cursor of an item misses and repeats nothing. */
export async function readChat(address: Address, from: Cursor | undefined, deps: ChatReaderDeps): Promise<Reading> {
  const session = await deps.sessions.find(address);
  if (session === undefined) return { from: 'beginning', session, items: [], cursor: undefined };
  const isSame = from?.session === session.id;
  const start: Cursor = isSame ? from : { session: session.id, seq: 0, number: 0 };
  // Messages first: then every entry that one of them follows is there to be read.
  const messages = await deps.outbox.after(session.id, start.number);
  // From the end of each turn on that one of them is the reply of: it says which turn that was.
  const replied = messages.filter(({ message }) => message.kind === 'reply').map(({ afterSeq }) => afterSeq);
  const first = Math.min(start.since ?? start.seq + 1, ...replied);
  const entries = await deps.turns.after(session.id, first - 1);
  return { from: isSame ? 'cursor' : 'beginning', session, ...merge(start, entries, messages, address) };
}

export function writeCursor({ session, seq, number, since }: Cursor): string {
  return `${session}.${seq}.${number}${since === undefined ? '' : `.${since}`}`;
}

/** Undefined for what no cursor was ever written as. */
export function parseCursor(text: string): Cursor | undefined {
  const [, session, seq, number, since] = written.exec(text) ?? [];
  if (session === undefined) return undefined;
  const place = { session: session as SessionId, seq: Number(seq), number: Number(number) };
  const first = Number(since);
  return since === undefined || first < 1 || first > place.seq ? place : { ...place, since: first };
}

/** A message stands behind the entries that it followed. Pure. */
function merge(
  start: Cursor,
  entries: readonly LoggedEntry[],
  messages: readonly KeptOutbound[],
  { chat }: Address,
): Pick<Reading, 'items' | 'cursor'> & { readonly cursor: Cursor } {
  const items: { readonly item: ChatItem; readonly cursor: Cursor }[] = [];
  const waiting = [...messages];
  const trace = new TurnTrace();
  const endedAt = new Map<number, TurnId>();
  // What a turn had answered before it went on was sent, where the conversation was then: it stands there once, as a reply.
  const sentEarly = new Set<string>();
  let cursor = start;
  const take = (message: KeptOutbound): void => {
    cursor = { ...cursor, number: message.number };
    const turn = message.message.kind === 'reply' ? endedAt.get(message.afterSeq) : undefined;
    if (message.message.kind === 'reply' && turn === undefined) sentEarly.add(message.message.text.trim());
    const isWord = turn !== undefined && trace.takeReply(turn) === 'program';
    const item = { ...itemOfMessage(message, chat), ...(turn && { turn }), ...(isWord && { type: 'notice' as const }) };
    items.push({ item, cursor });
  };
  for (const entry of entries) {
    const traced = trace.take(entry);
    if (entry.entry.type === 'turn.settled') endedAt.set(entry.seq, entry.turnId);
    if (entry.seq <= start.seq) continue;
    while (waiting[0] !== undefined && waiting[0].afterSeq < entry.seq) take(waiting.shift() as KeptOutbound);
    const { since } = trace;
    cursor = { session: start.session, seq: entry.seq, number: cursor.number, ...(since !== undefined && { since }) };
    const item = traced ?? itemOfEntry(entry);
    const isSaid = item?.type === 'aside' && sentEarly.has(item.text.trim());
    if (item && !isSaid) items.push({ item, cursor });
  }
  for (const message of waiting) take(message);
  return { items, cursor };
}

/** Its files are fetched where it is read, wherever it was said: a conversation can come from a terminal. */
function itemOfMessage({ at, message }: KeptOutbound, chat: string): ChatItem {
  const { id, kind, text, files = [] } = message;
  const shown = files.map((file, index): ChatFile => {
    return { name: file.name, kind: file.kind, path: `/api/chats/${chat}/files/${id}/${index}` };
  });
  return { id, type: kind === 'reply' ? 'reply' : 'notice', at, text, ...(shown.length > 0 && { files: shown }) };
}

function itemOfEntry({ sessionId, turnId, seq, at, entry }: LoggedEntry): ChatItem | undefined {
  const id = `${sessionId}.${seq}`;
  if (entry.type === 'context.undone') return { id, type: 'undone', at, text: '', turn: entry.turn };
  if (entry.type !== 'turn.admitted' && entry.type !== 'turn.steered') return undefined;
  return { id, type: 'user', at, text: partsToText(entry.parts), turn: turnId };
}

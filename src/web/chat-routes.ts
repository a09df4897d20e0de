import { randomUUID } from 'node:crypto';
import type { Context, Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { OutboxId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { describeIntake } from '../gateway/describe-intake.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Intake } from '../gateway/intake.ts';
import { webchatPlatform } from '../model/channel.ts';
import type { Inbound, Outbound } from '../model/channel.ts';
import { textPart } from '../model/message.ts';
import { addressKey } from '../model/session.ts';
import type { Address } from '../model/session.ts';
import type { Store } from '../model/store.ts';
import { chatAddress, owner } from './chat-address.ts';
import type { ChatHub } from './chat-hub.ts';
import { parseCursor, readChat, writeCursor } from './chat-reader.ts';
import { followChat } from './follow-chat.ts';
import type { FollowDeps } from './follow-chat.ts';
import type { OpenStreams } from './open-streams.ts';
import { readBody } from './read-body.ts';
import { sendEvents } from './send-events.ts';
import { sendFile } from './send-file.ts';
import type { WebEnv } from './web-env.ts';

export interface ChatRoutesDeps extends FollowDeps {
  readonly hub: ChatHub;
  readonly gateway: Pick<Gateway, 'takeIn' | 'follow' | 'watch'>;
  readonly store: Pick<Store, 'sessions' | 'turns' | 'outbox'>;
  readonly streams: OpenStreams;
  readonly log: Log;
  /** The folder that new sessions work in. */
  readonly workdir: string;
}

const mostChats = 200;
const messageId = /^[A-Za-z0-9_-]{1,64}$/;

/** The chats of the owner: which there are, what is said in them, and what happens there. */
export function addChatRoutes(app: Hono<WebEnv>, deps: ChatRoutesDeps): void {
  app.get('/api/chats', async (c) => c.json({ chats: await listChats(deps) }));
  app.get('/api/chats/:chat/history', (c) => showHistory(c, deps));
  app.get('/api/chats/:chat/events', (c) => streamEvents(c, deps));
  app.get('/api/chats/:chat/files/:message/:index', (c) => handOutFile(c, deps));
  app.post('/api/chats/:chat/messages', (c) => takeMessage(c, deps));
  app.post('/api/chats/:chat/answers', (c) => takeAnswer(c, deps));
  app.post('/api/chats/:chat/stop', async (c) => {
    const intake = await takeIn(randomUUID(), '/stop', addressOf(c), deps);
    return c.json({ outcome: intake.type });
  });
}

interface ChatSummary {
  readonly chat: string;
  readonly session: string;
  readonly title: string;
  readonly activeAt: number;
}

/** One row a chat in which something was ever said, for the session that was last active there, though it be new and empty. */
async function listChats({ store }: ChatRoutesDeps): Promise<readonly ChatSummary[]> {
  const some = { platform: webchatPlatform, limit: mostChats };
  const begun = await store.sessions.list({ ...some, stage: 'begun' });
  const known = new Set(begun.map(({ address }) => address.chat));
  const byChat = new Map<string, ChatSummary>();
  for (const { id, address, title, activeAt } of [...(await store.sessions.list(some)), ...begun]) {
    const { chat } = address;
    if (known.has(chat) && !byChat.has(chat)) byChat.set(chat, { chat, session: id, title, activeAt });
  }
  return [...byChat.values()];
}

async function showHistory(c: Context<WebEnv>, { store }: ChatRoutesDeps): Promise<Response> {
  const from = parseCursor(c.req.query('after') ?? '');
  const { from: readFrom, session, items, cursor } = await readChat(addressOf(c), from, store);
  return c.json({
    session: session?.id ?? null,
    from: readFrom,
    items: items.map(({ item }) => item),
    cursor: cursor ? writeCursor(cursor) : null,
  });
}

function streamEvents(c: Context<WebEnv>, deps: ChatRoutesDeps): Response {
  const address = addressOf(c);
  const from = parseCursor(c.req.header('last-event-id') ?? c.req.query('after') ?? '');
  const ending = deps.streams.open(c.get('caller'));
  if (ending === undefined) throw new HTTPException(503, { message: 'too many streams are open' });
  const { signal } = ending;
  const events = followChat(address, from, deps, signal);
  return sendEvents(c, { events, signal, close: () => deps.streams.close(ending), log: deps.log });
}

/** Only what a message of this chat brought along, by its place there: no path ever comes from outside. */
async function handOutFile(c: Context<WebEnv>, { store }: ChatRoutesDeps): Promise<Response> {
  const queued = await store.outbox.get((c.req.param('message') ?? '') as OutboxId);
  const isHere = queued !== undefined && (await isOfChat(queued.message, addressOf(c), store));
  const file = isHere ? queued.message.files?.[Number(c.req.param('index'))] : undefined;
  if (file === undefined) throw new HTTPException(404, { message: 'there is no such file' });
  return await sendFile(c, file);
}

/** Sent to this chat, or at another place in the conversation that is here now. */
async function isOfChat({ id, address }: Outbound, chat: Address, store: ChatRoutesDeps['store']): Promise<boolean> {
  if (addressKey(address) === addressKey(chat)) return true;
  const session = await store.sessions.find(chat);
  return session !== undefined && (await store.outbox.after(session.id, 0)).some(({ message }) => message.id === id);
}

async function takeMessage(c: Context<WebEnv>, deps: ChatRoutesDeps): Promise<Response> {
  const address = addressOf(c);
  const { id, text } = await readBody(c, ['id', 'text']);
  if (!messageId.test(id)) throw new HTTPException(400, { message: 'an id is 1 to 64 letters, digits, - or _' });
  const intake = await takeIn(id, text, address, deps);
  // What is no part of the log is shown beside it, the command and what it came to.
  if (intake.type === 'commanded') deps.hub.say(address.chat, { id, by: 'user', text });
  const told = describeIntake(intake);
  if (told !== undefined) deps.hub.say(address.chat, { id: `${id}-answer`, by: 'program', text: told });
  if (intake.type === 'admitted' || intake.type === 'steered') deps.hub.noteTaken(address.chat, id);
  else deps.hub.noteKept(address.chat);
  deps.gateway.follow(intake);
  return c.json({ outcome: intake.type, ...('turn' in intake && { turn: intake.turn }) });
}

/** Resolves once it is written down: whoever gets no answer can send it again under the same id. */
async function takeIn(id: string, text: string, address: Address, deps: ChatRoutesDeps): Promise<Intake> {
  const { platform, account, chat } = address;
  const key = { platform, account, chat, messageId: id, revision: 0 };
  const { workdir } = deps;
  const inbound: Inbound = { type: 'message', key, address, person: owner, parts: [textPart(text)], workdir };
  return await deps.gateway.takeIn(inbound);
}

/** How the question ended is told to every page that shows it. */
async function takeAnswer(c: Context<WebEnv>, { hub }: ChatRoutesDeps): Promise<Response> {
  const address = addressOf(c);
  const { digest, choice, verdict, scope } = await readBody(c, ['digest'], ['choice', 'verdict', 'scope']);
  if (choice !== undefined) {
    if (!/^\d$/.test(choice)) throw new HTTPException(400, { message: 'a choice is its place in the list, from 0 on' });
    hub.bring({ type: 'choice', address, person: owner, digest, choice: Number(choice) });
    return c.json({ ok: true }, 202);
  }
  if (verdict !== 'approved' && verdict !== 'denied')
    throw new HTTPException(400, { message: 'the verdict is "approved" or "denied"' });
  if (scope !== undefined && scope !== 'once' && scope !== 'session' && scope !== 'always')
    throw new HTTPException(400, { message: 'the scope is "once", "session" or "always"' });
  hub.bring({ type: 'answer', address, person: owner, digest, verdict, ...(scope && { scope }) });
  return c.json({ ok: true }, 202);
}

function addressOf(c: Context<WebEnv>): Address {
  const address = chatAddress(c.req.param('chat') ?? '');
  if (address === undefined)
    throw new HTTPException(404, { message: 'a chat is named by 1 to 64 small letters, digits, - or _' });
  return address;
}

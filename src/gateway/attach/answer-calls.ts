import { isAbsolute } from 'node:path';
import type { Models } from '../../agents/models.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import type { BlobId, SessionId } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import type { Catalogue } from '../../model/catalogue.ts';
import type { Inbound } from '../../model/channel.ts';
import { textPart } from '../../model/message.ts';
import type { RuntimeName } from '../../model/runtime.ts';
import type { Address, Session } from '../../model/session.ts';
import type { Store } from '../../model/store.ts';
import { localOwner } from '../access.ts';
import { parseCommand } from '../commands.ts';
import type { Gateway } from '../gateway.ts';
import type { Intake } from '../intake.ts';
import type { ModelNews } from '../model-news.ts';
import type { AttachedSeat, SeatOptions } from './attached-seat.ts';
import type { AttachedSeats } from './attached-seats.ts';
import type { CallName, CallParams, CallResults } from './calls.ts';

export interface AttachDeps {
  readonly gateway: Pick<
    Gateway,
    | 'takeIn'
    | 'follow'
    | 'watch'
    | 'resume'
    | 'whenIdle'
    | 'isAtWork'
    | 'isDraining'
    | 'deliver'
    | 'join'
    | 'askAgain'
    | 'giveUpAsking'
    | 'deleteSession'
    | 'takeOver'
    | 'noteSettingsRead'
  >;
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly models: Pick<Models, 'require' | 'chosenFor'>;
  readonly modelNews: Pick<ModelNews, 'note'>;
  readonly endTask: (sessionId: SessionId) => Promise<void>;
  /** What whoever sits in a folder should know about it. */
  readonly notesOn: (workdir: string) => readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}

/** Who calls. */
export interface Caller {
  readonly deps: AttachDeps;
  readonly seats: AttachedSeats;
  /** Throws `bad-usage` before one was taken. */
  readonly seat: AttachedSeat;
  sit(options: SeatOptions): void;
}

type Answers = {
  readonly [Name in CallName]: (params: CallParams<Name>, caller: Caller) => Promise<CallResults[Name]>;
};

/** The one table of what an attached program can ask for. Whoever it is speaks as the user of this machine, and as nobody else. */
export const callAnswers: Answers = {
  'seat.take': takeSeat,
  'seat.say': say,
  'seat.answer': ({ rule, scope = 'once', ...said }, { seat: { address }, deps }) =>
    deps.gateway.takeIn({ type: 'answer', address, person: localOwner, ...said, scope, ...(rule && { rule }) }),
  async 'seat.deliver'(_params, { seat, deps }) {
    await deps.gateway.deliver(seat.address);
    await deps.gateway.askAgain(seat.address, seat);
  },
  'seat.session': (_params, { seat, deps }) => deps.store.sessions.at(placeOf(seat)),
  'session.goOn': ({ sessionId }, { deps }) => Promise.resolve(deps.gateway.resume(sessionId as SessionId)),
  'session.whenIdle': ({ sessionId }, { deps }) => deps.gateway.whenIdle(sessionId as SessionId),
  'session.isAtWork': ({ sessionId }, { deps }) => Promise.resolve(deps.gateway.isAtWork(sessionId as SessionId)),
  'session.endTask': ({ sessionId }, { deps }) => deps.endTask(sessionId as SessionId),
  'sessions.resume': resumeSession,
  'sessions.delete': ({ sessionId }, { deps }) => deps.gateway.deleteSession(sessionId as SessionId),
  'sessions.matching': ({ idPrefix }, { deps }) => deps.store.sessions.matching(idPrefix),
  'sessions.list': ({ platform, stage, limit }, { deps }) =>
    deps.store.sessions.list({ ...(platform !== undefined && { platform }), ...(stage && { stage }), limit }),
  'turns.after': ({ sessionId, seq }, { deps }) => deps.store.turns.after(sessionId as SessionId, seq),
  'turns.unsettled': ({ sessionId }, { deps }) => deps.store.turns.unsettled(sessionId as SessionId | undefined),
  'turns.consents': ({ limit }, { deps }) => deps.store.turns.consents(limit),
  'search.find': ({ query, limit }, { deps }) => deps.store.search.find(query, limit),
  'search.lastSaid': ({ platform, limit }, { deps }) => deps.store.search.lastSaid(platform, limit),
  'blobs.read': ({ sessionId, blob }, { deps }) => deps.store.blobs.read(sessionId as SessionId, blob as BlobId),
  'usages.list': ({ sessionId, since }, { deps }) =>
    deps.store.usages.list({
      ...(sessionId !== undefined && { sessionId: sessionId as SessionId }),
      ...(since !== undefined && { since }),
    }),
  'catalogue.cost': ({ runtime, usage, at, cacheLife }, { deps }) =>
    deps.catalogue.cost(runtime as RuntimeName, usage, at, cacheLife),
  'catalogue.price': ({ runtime, at }, { deps }) => deps.catalogue.price(runtime as RuntimeName, at),
};

async function takeSeat(params: CallParams<'seat.take'>, caller: Caller): Promise<CallResults['seat.take']> {
  const { chat, workdir, asks, sessionModel, model } = params;
  if (!isAbsolute(workdir)) throw new AppError('bad-usage', `${workdir} is no absolute path`);
  const { models, gateway } = caller.deps;
  // It would be written down, and wait for a start that may be far off.
  if (gateway.isDraining) throw new AppError('gateway-stopping', 'the gateway on this home is being stopped');
  const wished = model ?? sessionModel;
  const { chain, warnings } = await models.require(wished === undefined ? {} : { model: wished });
  const address = terminalAddress(chat);
  if (model !== undefined) await chooseModel(model, { address, workdir }, caller);
  // A terminal reads the settings itself as it starts, and says what is wrong with them.
  await gateway.noteSettingsRead(address);
  caller.sit({ address, workdir, asks });
  const [{ name, place }] = chain;
  caller.deps.modelNews.note(address, name, wished);
  return { model: { name, place }, warnings: [...warnings, ...caller.deps.notesOn(workdir)] };
}

/** There is one gateway for all sessions: what one terminal chooses counts for its session, as with /model, and no other. */
async function chooseModel(
  model: string,
  where: { readonly address: Address; readonly workdir: string },
  { deps: { models, store } }: Caller,
): Promise<void> {
  if (models.chosenFor({ model }) !== model)
    throw new AppError(
      'bad-usage',
      'the gateway was started with --model, which counts for every session; leave it out',
    );
  const session = await store.sessions.at(placeOf(where));
  await store.sessions.configure(session.id, { ...session.settings, model });
}

async function say(params: CallParams<'seat.say'>, caller: Caller): Promise<Intake> {
  const { gateway, store } = caller.deps;
  const { address, workdir } = caller.seat;
  const { platform, account, chat } = address;
  const { messageId, text, commands, delivery } = params;
  const inbound: Inbound = {
    type: 'message',
    key: { platform, account, chat, messageId, revision: 0 },
    ...placeOf({ address, workdir }),
    parts: text === '' ? [] : [textPart(text)],
    ...(commands && { commands }),
    images: params.images.map(({ base64, name }) => ({
      bytes: Buffer.from(base64, 'base64'),
      ...(name !== undefined && { name }),
    })),
  };
  const before = parseCommand(text.trim()) && (await findSitters(caller));
  const intake = await gateway.takeIn(inbound);
  if (intake.type === 'admitted' || intake.type === 'steered') tellOthers(`From another terminal: ${text}`, caller);
  if (intake.type === 'commanded' && before) await tellOfMove(before, caller);
  gateway.follow(intake);
  if (delivery === 'first' || intake.type !== 'ignored' || intake.reason !== 'duplicate') return intake;
  // It had been taken in when the connection broke, and nothing can have been said behind it since.
  const entries = await store.turns.after((await store.sessions.at(inbound)).id, 0);
  const last = entries.findLast(({ entry }) => entry.type === 'turn.admitted');
  return last === undefined ? intake : { type: 'admitted', turn: { sessionId: last.sessionId, turnId: last.turnId } };
}

/** Other terminals at the same address see the turn; this is what they have not seen of it. */
function tellOthers(note: string, { seat, seats, deps }: Caller): void {
  for (const other of seats.at(seat.address)) if (other !== seat) tell(other, note, deps);
}

function tell(seat: AttachedSeat, text: string, { clock }: AttachDeps): void {
  const id = newId('outbox', clock.now());
  void seat.send({ id, address: seat.address, kind: 'notice', text, copy: 'first', digest: undefined });
}

/** Which session each terminal sits in. */
interface Sitters {
  readonly here: SessionId | undefined;
  readonly elsewhere: ReadonlyMap<AttachedSeat, SessionId>;
}

async function findSitters({ seat, seats, deps: { store } }: Caller): Promise<Sitters> {
  const elsewhere = new Map<AttachedSeat, SessionId>();
  for (const other of seats.awayFrom(seat.address)) {
    const session = await store.sessions.find(other.address);
    if (session !== undefined) elsewhere.set(other, session.id);
  }
  return { here: (await store.sessions.find(seat.address))?.id, elsewhere };
}

/** Nobody finds themselves in another conversation without being told: neither beside whoever moved, nor where that one came from. */
async function tellOfMove({ here, elsewhere }: Sitters, caller: Caller): Promise<void> {
  const now = await caller.deps.store.sessions.find(caller.seat.address);
  if (now === undefined || now.id === here) return;
  if (here !== undefined)
    tellOthers(`Another terminal went on from ${here} to ${now.id}: what you type is said there, too.`, caller);
  for (const [seat, sessionId] of elsewhere) if (sessionId === now.id) tell(seat, describeTaken(now), caller.deps);
}

/** A session answers at one address. */
function describeTaken({ id }: Session): string {
  const back = `/resume ${id} takes it back; to be in it with the other one, leave and come with: talaria -r ${id}`;
  return `Another terminal took ${id} over with /resume: what you type here now begins a new session. ${back}`;
}

/**
 * A session answers at one address; those who are there must not find themselves in another one. One of another platform goes
 * on at a terminal from here on, as with /resume, since a terminal sits in no chat but its own.
 */
async function resumeSession(
  { sessionId }: CallParams<'sessions.resume'>,
  { deps: { store, gateway, clock }, seats }: Caller,
): Promise<Session> {
  const session = await store.sessions.get(sessionId as SessionId);
  if (session === undefined) throw new AppError('not-found', `there is no session ${sessionId}`);
  if (session.address.platform !== 'terminal')
    return await gateway.takeOver(session, terminalAddress(newId('node', clock.now())));
  const [seat] = seats.at(session.address);
  if (seat === undefined) return await store.sessions.resume(session.id);
  const current = await store.sessions.at(placeOf(seat));
  if (current.id === session.id) return session;
  const where = `another terminal went on from it to a new one, ${current.id}`;
  throw new AppError('session-busy', `${where}; to come back to ${sessionId}, leave that terminal first`);
}

function terminalAddress(chat: string): Address {
  return { platform: 'terminal', account: 'local', chat, thread: '' };
}

function placeOf({ address, workdir }: { readonly address: Address; readonly workdir: string }): {
  readonly address: Address;
  readonly workdir: string;
  readonly person: typeof localOwner;
} {
  return { address, workdir, person: localOwner };
}

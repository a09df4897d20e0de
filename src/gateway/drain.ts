import { basename } from 'node:path';
import type { NodeId, PersonId, SessionId } from '../base/ids.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { withoutFullStop } from '../base/full-stop.ts';
import type { AgentCache } from '../agents/agent-cache.ts';
import type { ChannelTraits, OutboundFile } from '../model/channel.ts';
import type { ImagePart } from '../model/message.ts';
import type { Address, Session } from '../model/session.ts';
import type { Store, StoreTx, WaitingTurn } from '../model/store.ts';
import type { Settings } from '../model/settings.ts';
import type { StepEvent, TurnRef, TurnResult } from '../model/turn.ts';
import { localOwner } from './access.ts';
import { EarlierAnswers } from './earlier-answers.ts';
import type { LaneControl } from './lanes.ts';
import type { ModelNews } from './model-news.ts';
import { replyLifeMs } from './reply-life.ts';
import { replyAt } from './reply-target.ts';
import { SessionLease } from './session-lease.ts';
import { isShutOut, whoAdmitted } from './shut-out.ts';
import { WaitTeller } from './tell-waits.ts';
import { describeUnread } from './unread-additions.ts';
import { watchTurn } from './watchdog.ts';

export interface DrainDeps {
  readonly store: Store;
  readonly agents: Pick<AgentCache, 'lease'>;
  readonly owner: NodeId;
  readonly settings: Pick<Settings, 'current'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly show: (session: Session, turn: WaitingTurn, event: StepEvent) => void;
  /** Takes over what changed in the settings, before a turn begins. */
  readonly refreshSettings: (session: Session) => Promise<void>;
  readonly modelNews: Pick<ModelNews, 'look'>;
  /** Shows a line that need not be kept. */
  readonly tell: (session: Session, text: string) => void;
  /** What the channel of an address can do, if one serves it. */
  readonly traitsAt: (address: Address) => ChannelTraits | undefined;
  /** Sends what waits for an address. Never rejects. */
  readonly send: (address: Address) => Promise<void>;
  /** Sends what a turn settled to. Resolves when the next one may begin. */
  readonly deliver: (session: Session, turn: TurnRef) => Promise<void>;
}

/** Takes each unsettled turn of a session in order of admission, what a crash left open included, to its result. */
export async function drainSession(sessionId: SessionId, lane: LaneControl, deps: DrainDeps): Promise<void> {
  await using lease = new SessionLease(sessionId, deps);
  for (let turnsBefore = 0; ; turnsBefore += 1) {
    const waiting = await deps.store.turns.unsettled(sessionId);
    const [turn] = waiting;
    if (turn === undefined || !lane.mayBegin()) return;
    const session = await deps.store.sessions.get(sessionId);
    if (session === undefined) return;
    const stoppedBy = await whoStopped(turn, waiting, session, deps);
    if (turnsBefore > 0 && stoppedBy === undefined) await announceWaited(turn, session, deps);
    const isReleased = await runOne(turn, session, { ...deps, lane, lease, stoppedBy }).catch(
      async (thrown: unknown) => {
        // What failed is put off, and must not stay on the screen.
        await deps.deliver(session, turn);
        throw thrown;
      },
    );
    lane.end();
    await deps.deliver(session, turn);
    if (isReleased) return;
  }
}

async function announceWaited(turn: WaitingTurn, session: Session, deps: DrainDeps): Promise<void> {
  if (deps.traitsAt(session.address)?.answers !== 'at-once') return;
  const { nameWaited } = await import('./name-waited.ts');
  const text = await nameWaited(turn, deps.store);
  if (text !== undefined) deps.show(session, turn, { type: 'notice', text });
}

/**
 * The program may have ended between an interruption and the end of the turn that it stopped: the word still counts. And
 * whoever has no access any more has nothing run that waited.
 */
async function whoStopped(
  turn: TurnRef,
  waiting: readonly WaitingTurn[],
  session: Session,
  deps: DrainDeps,
): Promise<PersonId | undefined> {
  const interrupter = waiting.find(({ interrupts }) => interrupts === turn.turnId);
  const person = interrupter && (await whoAdmitted(interrupter, deps.store));
  return person ?? ((await isShutOut(turn, session, deps)) ? localOwner : undefined);
}

interface RunDeps extends DrainDeps {
  readonly lane: LaneControl;
  readonly lease: SessionLease;
  /** Who stopped the turn before it could begin, if someone did. */
  readonly stoppedBy: PersonId | undefined;
}

/** Runs one turn. True where a shutdown left it unsettled. */
async function runOne(turn: WaitingTurn, session: Session, deps: RunDeps): Promise<boolean> {
  const show = (event: StepEvent): void => deps.show(session, turn, event);
  await using waits = new WaitTeller({
    tell: (text) => show({ type: 'status', text }),
    countBehind: async () => (await deps.store.turns.unsettled(session.id)).length - 1,
    clock: deps.clock,
  });
  await deps.refreshSettings(session);
  using held = await deps.agents.lease(session);
  const news = deps.modelNews.look(session, held.agent.primary);
  if (news !== undefined) deps.tell(session, news);
  const settleWith = (tx: StoreTx, result: TurnResult, pictures: readonly ImagePart[]): Promise<void> =>
    settleTurn(turn, session, result, { ...deps, tx, pictures });
  const { signal, interruptDepth } = deps.lane.begin(turn, () => waits.describe());
  if (deps.stoppedBy !== undefined) deps.lane.abort({ type: 'stop', by: deps.stoppedBy });
  const earlier = new EarlierAnswers(session, { ...deps, ...replyAt(session.address, turn.replyTo) });
  const run = held.agent.run(turn, {
    settings: session.settings,
    keepAnswer: (tx, text) => earlier.keep(tx, text),
    takeLease: (tx) => deps.lease.take(tx),
    settleWith,
    signal,
    shutdown: deps.lane.signal,
    interruptDepth,
  });
  await using _watching = watchTurn({
    activity: () => held.agent.activity,
    limitMs: deps.settings.current.config.agent.inactivityMs,
    warn: (text) => deps.tell(session, text),
    end: (reason) => deps.lane.abort({ type: 'inactive', reason }),
    clock: deps.clock,
  });
  for (;;) {
    const next = await run.next();
    if (next.done === true) return next.value.type === 'released';
    waits.take(next.value);
    noteParking(turn, next.value, deps.log);
    deps.lane.rest(waits.isForPerson ? 'person' : 'nobody');
    earlier.sendBefore(next.value);
    show(next.value);
  }
}

function noteParking({ sessionId, turnId }: TurnRef, event: StepEvent, log: Log): void {
  if (event.type !== 'entry' || event.logged.entry.type !== 'turn.settled') return;
  const { result } = event.logged.entry;
  if (result.type !== 'parked') return;
  log.write('warn', 'a turn was put aside', { session: sessionId, turn: turnId, reason: result.reason });
}

interface Settling extends Pick<RunDeps, 'clock' | 'lease' | 'traitsAt'> {
  readonly tx: StoreTx;
  readonly pictures: readonly ImagePart[];
}

/**
 * In the same transaction as the result: the reply goes into the outbox, and the lease is given back where nothing else waits.
 */
async function settleTurn(
  turn: WaitingTurn,
  session: Session,
  result: TurnResult,
  { tx, pictures, clock, lease, traitsAt }: Settling,
): Promise<void> {
  const kind = result.type === 'replied' ? 'reply' : 'notice';
  const others = (await tx.turns.unsettled(session.id)).filter(({ turnId }) => turnId !== turn.turnId);
  const wasInterrupted = result.type === 'interrupted' && others.some(({ interrupts }) => interrupts === turn.turnId);
  await tx.outbox.enqueue({
    sessionId: session.id,
    address: session.address,
    kind,
    text: wasInterrupted ? await describeInterruption(turn, tx) : describeResult(result),
    files: filesOf(pictures),
    ...replyAt(session.address, turn.replyTo),
    notAfter: clock.now() + replyLifeMs,
    // There a reply has arrived as soon as it is in the store.
    ...(traitsAt(session.address)?.resend === 'reads-store' && { state: 'sent' }),
  });
  if (others.length === 0) await lease.giveBack(tx);
}

/** All that whoever interrupts a turn is told of it: there is no other word about their message until it is answered. */
async function describeInterruption(turn: TurnRef, tx: StoreTx): Promise<string> {
  return ['Stopped the turn that ran: yours is next.', ...(await describeUnread(turn, tx))].join(' ');
}

// What is more is still in the conversation, and beside it as files.
const mostPictures = 5;

function filesOf(pictures: readonly ImagePart[]): readonly OutboundFile[] {
  return pictures.slice(-mostPictures).flatMap(({ path, name }) => {
    return path === undefined ? [] : [{ path, name: name ?? basename(path), kind: 'picture' }];
  });
}

/** A result as the line that the person reads. */
export function describeResult(result: TurnResult): string {
  switch (result.type) {
    case 'replied':
      return result.text;
    case 'interrupted':
      return 'Stopped.';
    case 'failed':
      return `That did not work: ${withoutFullStop(result.reason)}.`;
    case 'parked':
      return `Put aside: ${withoutFullStop(result.reason)}.`;
  }
}

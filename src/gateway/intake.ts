import type { Clock } from '../base/clock.ts';
import { isAppError, isPassing } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import type { SessionId, TurnId } from '../base/ids.ts';
import type { BusyMode } from '../model/busy-mode.ts';
import type { Inbound, InboundKey } from '../model/channel.ts';
import type { ResetSettings } from '../model/config.ts';
import type { Faults } from '../model/faults.ts';
import { partsToText, textPart } from '../model/message.ts';
import type { Session } from '../model/session.ts';
import type { Signals, Store, StoreTx, Wake } from '../model/store.ts';
import type { TurnRef } from '../model/turn.ts';
import type { Access } from './access.ts';
import type { PendingApprovals } from './approvals.ts';
import type { StoppedTurn, Work } from './command-deps.ts';
import { parseCommand, readSaying } from './commands.ts';
import type { Command, CommandRunner } from './commands.ts';
import type { ResetReason } from './decide-reset.ts';
import { judgeImages, keepParts } from './keep-images.ts';
import type { InboundMessage } from './keep-images.ts';
import type { Lanes } from './lanes.ts';
import { allImages, noteNew } from './note-new.ts';
import type { PendingQuestions } from './questions.ts';
import { replyTarget } from './reply-target.ts';

export interface IntakeDeps {
  readonly access: (inbound: Inbound) => Promise<Access>;
  /** What a stranger is told, who may ask to be let in; undefined where that would be too often. */
  readonly offerPairing: (from: Inbound) => Promise<string | undefined>;
  /** What someone is told who followed a link that makes them the owner; undefined for everything else. */
  readonly bindOwner: (inbound: Inbound) => Promise<string | undefined>;
  readonly store: Store;
  readonly lanes: Pick<Lanes, 'running'>;
  readonly approvals: Pick<PendingApprovals, 'answer' | 'isAskedIn' | 'oldestAt'>;
  readonly questions: Pick<PendingQuestions, 'answer' | 'decline' | 'isAskedIn'>;
  readonly commands: CommandRunner;
  /** What a message does in a session while a turn runs. */
  readonly busyMode: (session: Session) => BusyMode;
  readonly signals: Pick<Signals, 'send'>;
  /** Why a session is over, if it is. */
  readonly findEnd: (session: Session) => Promise<ResetReason | undefined>;
  readonly resetSettings: () => ResetSettings;
  /** Told of a session that a new one took the place of. */
  readonly onRenewed: (old: Session) => void;
  readonly wake: Wake;
  readonly clock: Clock;
  readonly faults: Faults | undefined;
}

/** What became of something that arrived; the sender is told. */
export type Intake =
  /** What there is to say about it before its turn begins, if anything. */
  | { readonly type: 'admitted'; readonly turn: TurnRef; readonly told?: string }
  /** Set where the turn cannot go on before a question is answered, which this did not do. */
  | { readonly type: 'steered'; readonly turn: TurnRef; readonly behind?: 'question' }
  | {
      readonly type: 'commanded';
      readonly reply: string;
      readonly as?: 'listing';
      readonly andThen?: 'restart';
      /** The turn that it told to end. */
      readonly stopped?: StoppedTurn;
    }
  | { readonly type: 'answered' }
  /** It is from someone without access, who is told no more than this. */
  | { readonly type: 'denied'; readonly reply: string | undefined }
  /** Nothing of it was taken in. */
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'ignored'; readonly reason: 'duplicate' | 'empty' | 'nothing-asked' | 'not-theirs' };

/** More than anyone means to have waiting; each of them costs money when its turn comes. */
const mostWaiting = 32;

/** Decides what an inbound is, writes it down, and only then wakes the session. What was not written was never promised. */
export async function takeIn(inbound: Inbound, deps: IntakeDeps): Promise<Intake> {
  const welcome = await deps.bindOwner(inbound);
  if (welcome !== undefined) return { type: 'commanded', reply: welcome };
  const access = await deps.access(inbound);
  if (access.type === 'denied') {
    return { type: 'denied', reply: access.answer === 'silence' ? undefined : await deps.offerPairing(inbound) };
  }
  if (inbound.type === 'choice') return await choose(inbound, deps);
  if (inbound.type === 'answer') {
    if (inbound.verdict === 'denied' && deps.questions.decline(inbound.address, inbound.digest))
      return { type: 'answered' };
    return (await deps.approvals.answer(inbound))
      ? { type: 'answered' }
      : { type: 'ignored', reason: whyNot(inbound, deps) };
  }
  const text = partsToText(inbound.parts).trim();
  const { images = [], album = [] } = inbound;
  if (text === '' && images.length === 0) return { type: 'ignored', reason: 'empty' };
  const command = inbound.commands === 'none' ? undefined : parseCommand(text);
  const saying = command && readSaying(command);
  if (saying) return await say({ ...inbound, parts: [textPart(saying.text)] }, saying.mode, deps);
  // A picture comes with words about it, whatever they begin with.
  if (command !== undefined && images.length === 0) return await obey(command, inbound, deps);
  const answered = images.length + album.length === 0 ? await answerQuestion(inbound, text, deps) : undefined;
  return answered ?? (await say(inbound, undefined, deps));
}

/** While the model waits for an answer, what is said is that answer; undefined where it waits for none. */
async function answerQuestion(inbound: InboundMessage, text: string, deps: IntakeDeps): Promise<Intake | undefined> {
  const { key, address, person } = inbound;
  const answering = await deps.questions.answer({ address, person, said: { text, key } });
  switch (answering.type) {
    case 'taken':
      return { type: 'answered' };
    case 'duplicate':
      return { type: 'ignored', reason: 'duplicate' };
    case 'nothing-asked':
      return undefined;
    case 'no-such-choice':
      return { type: 'refused', reason: describeNoChoice(text, answering.choices) };
  }
}

function describeNoChoice(number: string, choices: number): string {
  const range = choices === 1 ? 'there is only choice 1' : `the choices are 1 to ${choices}`;
  return `${range}; say ${number} once more if you mean the number itself`;
}

/** Why a press of a button came to nothing: what is still asked there is for someone else to answer. */
function whyNot(
  { address, digest }: Answer | Choice,
  { approvals, questions }: IntakeDeps,
): 'nothing-asked' | 'not-theirs' {
  const isAsked = approvals.isAskedIn(address, digest) || questions.isAskedIn(address, digest);
  return isAsked ? 'not-theirs' : 'nothing-asked';
}

type Answer = Extract<Inbound, { readonly type: 'answer' }>;
type Choice = Extract<Inbound, { readonly type: 'choice' }>;

async function choose(chosen: Choice, deps: IntakeDeps): Promise<Intake> {
  const { address, person, choice, digest } = chosen;
  const answering = await deps.questions.answer({ address, person, said: { choice, digest } });
  if (answering.type === 'taken') return { type: 'answered' };
  const isOthers = whyNot(chosen, deps) === 'not-theirs';
  return { type: 'refused', reason: `that question is ${isOthers ? 'for someone else' : 'not open any more'}` };
}

/** A message: steers, waits or interrupts, as wished or as the settings have it. */
async function say(inbound: InboundMessage, wished: BusyMode | undefined, deps: IntakeDeps): Promise<Intake> {
  const problem = judgeImages(allImages(inbound));
  if (problem !== undefined) return { type: 'refused', reason: problem };
  for (;;) {
    const said = await sayOnce(inbound, wished, deps);
    if (said !== 'moved') return said;
  }
}

/** `moved` where the session went on elsewhere, or was replaced, while the message was on its way to it. */
async function sayOnce(
  inbound: InboundMessage,
  wished: BusyMode | undefined,
  deps: IntakeDeps,
): Promise<Intake | 'moved'> {
  const { sessions } = deps.store;
  // Most have one, and looking is cheaper than writing.
  const session = (await sessions.find(inbound.address)) ?? (await sessions.at(inbound));
  const running = deps.lanes.running(session.id);
  if (running === undefined) return await admitUnlessOver(inbound, session, deps);
  switch (wished ?? deps.busyMode(session)) {
    case 'steer':
      return (await steer(inbound, running, deps)) ?? (await admit(inbound, session, deps));
    case 'queue':
      return await admit(inbound, session, deps);
    case 'interrupt':
      return await admit(inbound, session, deps, running);
  }
}

/** A message to a session that is over by the policy begins a new one. */
async function admitUnlessOver(inbound: InboundMessage, session: Session, deps: IntakeDeps): Promise<Intake | 'moved'> {
  const reason = await deps.findEnd(session);
  if (reason === undefined) return await admit(inbound, session, deps);
  const { admitAnew } = await import('./admit-anew.ts');
  const anew = await admitAnew(inbound, session, reason, { ...deps, reset: deps.resetSettings() });
  if (anew.type === 'duplicate') return { type: 'ignored', reason: 'duplicate' };
  if (anew.session === 'renewed') deps.onRenewed(session);
  return await finish({ type: 'waits', before: anew.before }, anew.turn, inbound, deps);
}

/** Work on the conversation itself never joins the turn that runs: it waits in the lane, like a message. */
async function obey(command: Command, inbound: InboundMessage, deps: IntakeDeps): Promise<Intake> {
  // Before it runs: one that a crash cuts short is typed again by its sender, and one that ran must never run again.
  if ((await noteOnce(inbound.key, deps)) === 'duplicate') return { type: 'ignored', reason: 'duplicate' };
  const outcome = await deps.commands(command, inbound);
  if (typeof outcome === 'string') return { type: 'commanded', reply: outcome };
  if (outcome.type === 'listing') return { type: 'commanded', reply: outcome.reply, as: 'listing' };
  if (outcome.type === 'stopping') return { type: 'commanded', reply: outcome.reply, stopped: outcome };
  if (outcome.type === 'restart') return { type: 'commanded', reply: outcome.reply, andThen: 'restart' };
  return await admitWork(outcome, inbound, deps);
}

/** A full disk does not hold up a stop: where nothing can be noted, a command runs all the same. */
async function noteOnce(key: InboundKey, { store }: IntakeDeps): Promise<'new' | 'duplicate'> {
  return await store.inbox.note(key).catch((thrown: unknown) => {
    if (isPassing(thrown)) return 'new' as const;
    throw thrown;
  });
}

async function admitWork(work: Work, inbound: InboundMessage, deps: IntakeDeps): Promise<Intake> {
  const { person } = inbound;
  const { purpose, parts = inbound.parts } = work;
  const { turn, place } = await deps.store.transaction(async (tx) => {
    const { id: sessionId } = await tx.sessions.at(inbound);
    const admitted: TurnRef = { sessionId, turnId: newId('turn', deps.clock.now()) };
    const found = await findPlace(sessionId, undefined, tx);
    if (found.type === 'waits') {
      const reply = replyTarget(inbound, found.before);
      await tx.turns.append(admitted, [{ type: 'turn.admitted', parts, person, purpose, ...reply }]);
    }
    return { turn: admitted, place: found };
  });
  const intake = await finish(place, turn, inbound, deps);
  return intake.type === 'admitted' && work.told !== undefined ? { ...intake, told: work.told } : intake;
}

async function admit(
  inbound: InboundMessage,
  { id: sessionId }: Session,
  deps: IntakeDeps,
  running?: TurnRef,
): Promise<Intake | 'moved'> {
  const turn: TurnRef = { sessionId, turnId: newId('turn', deps.clock.now()) };
  const admission = await deps.store.transaction(async (tx): Promise<Admission | 'moved'> => {
    if ((await tx.sessions.find(inbound.address))?.id !== sessionId) return 'moved';
    const fresh = await noteNew(inbound, tx);
    if (fresh === undefined) return { type: 'duplicate' };
    const place = await findPlace(sessionId, running, tx);
    if (place.type === 'full') return place;
    const interrupts = place.interrupts && { interrupts: place.interrupts };
    const parts = await keepParts(fresh, sessionId, tx);
    const reply = replyTarget(fresh, place.before);
    await tx.turns.append(turn, [{ type: 'turn.admitted', parts, person: inbound.person, ...interrupts, ...reply }]);
    return place;
  });
  return admission === 'moved' ? admission : await finish(admission, turn, inbound, deps);
}

/** Where a new turn stands: behind so many others, or right behind the one that it interrupts. */
type Admission =
  | { readonly type: 'waits'; readonly before: number; readonly interrupts?: TurnId }
  | { readonly type: 'full' }
  | { readonly type: 'duplicate' };

/** In the transaction that admits the turn, so that nobody else comes in between. */
async function findPlace(
  sessionId: SessionId,
  running: TurnRef | undefined,
  tx: StoreTx,
): Promise<Exclude<Admission, { readonly type: 'duplicate' }>> {
  const unsettled = await tx.turns.unsettled(sessionId);
  if (unsettled.length > mostWaiting) return { type: 'full' };
  const interrupts = unsettled.find(({ turnId }) => turnId === running?.turnId)?.turnId;
  return { type: 'waits', before: unsettled.length, ...(interrupts && { interrupts }) };
}

async function finish(admission: Admission, turn: TurnRef, inbound: InboundMessage, deps: IntakeDeps): Promise<Intake> {
  switch (admission.type) {
    case 'duplicate':
      return { type: 'ignored', reason: 'duplicate' };
    case 'full':
      return { type: 'refused', reason: fullText };
    case 'waits':
      break;
  }
  const { interrupts, before } = admission;
  await deps.faults?.reach('admitted');
  deps.wake.wake(turn.sessionId);
  if (interrupts) deps.signals.send(turn.sessionId, { type: 'stop', by: inbound.person, turnId: interrupts });
  // Whoever interrupts is told when the turn has ended, with what it left.
  const told = interrupts ? undefined : describeWaiting(before);
  return { type: 'admitted', turn, ...(told !== undefined && { told }) };
}

const fullText = `the queue is full (${mostWaiting} wait); send it again when some of them are answered`;

function describeWaiting(before: number): string | undefined {
  if (before === 0) return undefined;
  return before === 1 ? 'Waits: 1 turn is before it.' : `Waits: ${before} turns are before it.`;
}

/** Adds to the running turn; undefined where that turn settled in the meantime, so that the message becomes a turn of its own. */
async function steer(inbound: InboundMessage, turn: TurnRef, deps: IntakeDeps): Promise<Intake | undefined> {
  const isAsked = deps.approvals.oldestAt(inbound.address) !== undefined;
  try {
    return await deps.store.transaction(async (tx): Promise<Intake> => {
      const fresh = await noteNew(inbound, tx);
      if (fresh === undefined) return { type: 'ignored', reason: 'duplicate' };
      const parts = await keepParts(fresh, turn.sessionId, tx);
      await tx.turns.append(turn, [{ type: 'turn.steered', parts, person: inbound.person }]);
      return { type: 'steered', turn, ...(isAsked && { behind: 'question' }) };
    });
  } catch (thrown) {
    if (isAppError(thrown, 'fenced')) return undefined;
    throw thrown;
  }
}

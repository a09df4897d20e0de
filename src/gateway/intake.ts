import type { Clock } from '../base/clock.ts';
import { isAppError, isPassing } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import type { PersonId } from '../base/ids.ts';
import type { Inbound, InboundKey } from '../model/channel.ts';
import type { Faults } from '../model/faults.ts';
import { partsToText } from '../model/message.ts';
import type { Part } from '../model/message.ts';
import type { Session } from '../model/session.ts';
import type { Store, StoreTx, Wake } from '../model/store.ts';
import type { Purpose, TurnEntry, TurnRef } from '../model/turn.ts';
import type { Access } from './access.ts';
import type { PendingApprovals } from './approvals.ts';
import { parseCommand } from './commands.ts';
import type { Command, CommandRunner } from './commands.ts';
import { judgeImages, keepImages } from './keep-images.ts';
import type { Lanes } from './lanes.ts';

export interface IntakeDeps {
  readonly access: (inbound: Inbound) => Promise<Access>;
  /** What a stranger is told, who may ask to be let in; undefined where that would be too often. */
  readonly offerPairing: (person: PersonId) => Promise<string | undefined>;
  /** What someone is told who followed a link that makes them the owner; undefined for everything else. */
  readonly bindOwner: (inbound: Inbound) => Promise<string | undefined>;
  readonly store: Store;
  readonly lanes: Pick<Lanes, 'running'>;
  readonly approvals: Pick<PendingApprovals, 'answer'>;
  readonly commands: CommandRunner;
  readonly wake: Wake;
  readonly clock: Clock;
  readonly faults: Faults | undefined;
}

/** What became of something that arrived; the sender is told. */
export type Intake =
  | { readonly type: 'admitted'; readonly turn: TurnRef }
  | { readonly type: 'steered'; readonly turn: TurnRef }
  | { readonly type: 'commanded'; readonly reply: string }
  | { readonly type: 'answered' }
  /** It is from someone without access, who is told no more than this. */
  | { readonly type: 'denied'; readonly reply: string | undefined }
  /** Nothing of it was taken in, and sending it again would change nothing. */
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'ignored'; readonly reason: 'duplicate' | 'empty' | 'nothing-asked' };

type InboundMessage = Extract<Inbound, { readonly type: 'message' }>;

/** Decides what an inbound is, writes it down, and only then wakes the session. What was not written was never promised. */
export async function takeIn(inbound: Inbound, deps: IntakeDeps): Promise<Intake> {
  const welcome = await deps.bindOwner(inbound);
  if (welcome !== undefined) return { type: 'commanded', reply: welcome };
  const access = await deps.access(inbound);
  if (access.type === 'denied') {
    return { type: 'denied', reply: access.answer === 'silence' ? undefined : await deps.offerPairing(inbound.person) };
  }
  if (inbound.type === 'answer') {
    return deps.approvals.answer(inbound) ? { type: 'answered' } : { type: 'ignored', reason: 'nothing-asked' };
  }
  const text = partsToText(inbound.parts).trim();
  const { images = [] } = inbound;
  if (text === '' && images.length === 0) return { type: 'ignored', reason: 'empty' };
  // A picture comes with words about it, whatever they begin with.
  const command = images.length === 0 ? parseCommand(text) : undefined;
  if (command !== undefined) return await obey(command, inbound, deps);
  const problem = judgeImages(images);
  if (problem !== undefined) return { type: 'refused', reason: problem };
  const session = await deps.store.sessions.at(inbound);
  const running = deps.lanes.running(session.id);
  return (running && (await steer(inbound, running, deps))) ?? (await admit(inbound, session, deps));
}

/** Work on the conversation itself never joins the turn that runs: it waits in the lane, like a message. */
async function obey(command: Command, inbound: InboundMessage, deps: IntakeDeps): Promise<Intake> {
  // Before it runs: one that a crash cuts short is typed again by its sender, and one that ran must never run again.
  if ((await noteOnce(inbound.key, deps)) === 'duplicate') return { type: 'ignored', reason: 'duplicate' };
  const outcome = await deps.commands(command, inbound);
  if (typeof outcome === 'string') return { type: 'commanded', reply: outcome };
  return await admitWork(outcome, inbound, deps);
}

/** A full disk does not hold up a stop: where nothing can be noted, a command runs all the same. */
async function noteOnce(key: InboundKey, { store }: IntakeDeps): Promise<'new' | 'duplicate'> {
  return await store.inbox.note(key).catch((thrown: unknown) => {
    if (isPassing(thrown)) return 'new' as const;
    throw thrown;
  });
}

async function admitWork(purpose: Purpose, inbound: InboundMessage, deps: IntakeDeps): Promise<Intake> {
  const session = await deps.store.sessions.at(inbound);
  const turn: TurnRef = { sessionId: session.id, turnId: newId('turn', deps.clock.now()) };
  const { parts, person } = inbound;
  await deps.store.turns.append(turn, [{ type: 'turn.admitted', parts, person, purpose }]);
  return await wake(turn, deps);
}

async function admit(inbound: InboundMessage, session: Session, deps: IntakeDeps): Promise<Intake> {
  const turn: TurnRef = { sessionId: session.id, turnId: newId('turn', deps.clock.now()) };
  const write = (parts: readonly Part[]): TurnEntry => ({ type: 'turn.admitted', parts, person: inbound.person });
  const accepted = await deps.store.transaction((tx) => acceptOnce(inbound, turn, write, tx));
  return accepted === 'duplicate' ? { type: 'ignored', reason: 'duplicate' } : await wake(turn, deps);
}

async function wake(turn: TurnRef, deps: IntakeDeps): Promise<Intake> {
  await deps.faults?.reach('admitted');
  deps.wake.wake(turn.sessionId);
  return { type: 'admitted', turn };
}

/** Adds to the running turn; undefined where that turn settled in the meantime, so that the message becomes a turn of its own. */
async function steer(inbound: InboundMessage, turn: TurnRef, deps: IntakeDeps): Promise<Intake | undefined> {
  const write = (parts: readonly Part[]): TurnEntry => ({ type: 'turn.steered', parts, person: inbound.person });
  try {
    const accepted = await deps.store.transaction((tx) => acceptOnce(inbound, turn, write, tx));
    if (accepted === 'duplicate') return { type: 'ignored', reason: 'duplicate' };
    return { type: 'steered', turn };
  } catch (thrown) {
    if (isAppError(thrown, 'fenced')) return undefined;
    throw thrown;
  }
}

async function acceptOnce(
  inbound: InboundMessage,
  turn: TurnRef,
  write: (parts: readonly Part[]) => TurnEntry,
  tx: StoreTx,
): Promise<'new' | 'duplicate'> {
  const accepted = await tx.inbox.accept(inbound.key, turn);
  if (accepted === 'duplicate') return accepted;
  const images = await keepImages(inbound.images ?? [], turn.sessionId, tx.blobs);
  await tx.turns.append(turn, [write([...images, ...inbound.parts])]);
  return accepted;
}

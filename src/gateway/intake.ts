import type { Clock } from '../base/clock.ts';
import { isAppError } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import type { Inbound } from '../model/channel.ts';
import type { Faults } from '../model/faults.ts';
import { partsToText } from '../model/message.ts';
import type { Session } from '../model/session.ts';
import type { Store, StoreTx, Wake } from '../model/store.ts';
import type { Purpose, TurnEntry, TurnRef } from '../model/turn.ts';
import type { PendingApprovals } from './approvals.ts';
import { parseCommand } from './commands.ts';
import type { Command, CommandRunner } from './commands.ts';
import type { Lanes } from './lanes.ts';

export interface IntakeDeps {
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
  | { readonly type: 'ignored'; readonly reason: 'duplicate' | 'empty' | 'nothing-asked' };

type InboundMessage = Extract<Inbound, { readonly type: 'message' }>;

/** Decides what an inbound is, writes it down, and only then wakes the session. What was not written was never promised. */
export async function takeIn(inbound: Inbound, deps: IntakeDeps): Promise<Intake> {
  if (inbound.type === 'answer') {
    return deps.approvals.answer(inbound) ? { type: 'answered' } : { type: 'ignored', reason: 'nothing-asked' };
  }
  const text = partsToText(inbound.parts).trim();
  if (text === '') return { type: 'ignored', reason: 'empty' };
  const command = parseCommand(text);
  if (command !== undefined) return await obey(command, inbound, deps);
  const session = await deps.store.sessions.at(inbound);
  const running = deps.lanes.running(session.id);
  return (running && (await steer(inbound, running, deps))) ?? (await admit(inbound, session, deps));
}

/** Work on the conversation itself never joins the turn that runs: it waits in the lane, like a message. */
async function obey(command: Command, inbound: InboundMessage, deps: IntakeDeps): Promise<Intake> {
  const outcome = await deps.commands(command, inbound);
  if (typeof outcome === 'string') return { type: 'commanded', reply: outcome };
  return await admit(inbound, await deps.store.sessions.at(inbound), deps, outcome);
}

async function admit(inbound: InboundMessage, session: Session, deps: IntakeDeps, purpose?: Purpose): Promise<Intake> {
  const turn: TurnRef = { sessionId: session.id, turnId: newId('turn', deps.clock.now()) };
  const { parts, person } = inbound;
  const entry: TurnEntry = { type: 'turn.admitted', parts, person, ...(purpose && { purpose }) };
  const accepted = await deps.store.transaction((tx) => acceptOnce(inbound, turn, entry, tx));
  if (accepted === 'duplicate') return { type: 'ignored', reason: 'duplicate' };
  await deps.faults?.reach('admitted');
  deps.wake.wake(session.id);
  return { type: 'admitted', turn };
}

/** Adds to the running turn; undefined where that turn settled in the meantime, so that the message becomes a turn of its own. */
async function steer(inbound: InboundMessage, turn: TurnRef, deps: IntakeDeps): Promise<Intake | undefined> {
  const entry: TurnEntry = { type: 'turn.steered', parts: inbound.parts, person: inbound.person };
  try {
    const accepted = await deps.store.transaction((tx) => acceptOnce(inbound, turn, entry, tx));
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
  entry: TurnEntry,
  tx: StoreTx,
): Promise<'new' | 'duplicate'> {
  const accepted = await tx.inbox.accept(inbound.key, turn);
  if (accepted === 'new') await tx.turns.append(turn, [entry]);
  return accepted;
}

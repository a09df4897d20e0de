import type { NodeId, PersonId, SessionId } from '../base/ids.ts';
import { AppError } from '../base/errors.ts';
import type { Clock } from '../base/clock.ts';
import { withoutFullStop } from '../base/full-stop.ts';
import { waitOut } from '../base/wait-out.ts';
import type { AgentCache } from '../agents/agent-cache.ts';
import type { Session } from '../model/session.ts';
import type { Fence, Store, StoreTx } from '../model/store.ts';
import type { Settings } from '../model/settings.ts';
import type { StepEvent, TurnRef, TurnResult } from '../model/turn.ts';
import type { LaneControl } from './lanes.ts';
import { WaitTeller } from './tell-waits.ts';
import { watchTurn } from './watchdog.ts';

export interface DrainDeps {
  readonly store: Store;
  readonly agents: Pick<AgentCache, 'lease'>;
  readonly owner: NodeId;
  readonly settings: Pick<Settings, 'current'>;
  readonly clock: Clock;
  readonly show: (session: Session, turn: TurnRef, event: StepEvent) => void;
  /** Takes over what changed in the settings, before a turn begins. */
  readonly refreshSettings: (session: Session) => Promise<void>;
  /** Shows a line that need not be kept. */
  readonly tell: (session: Session, text: string) => void;
  /** Sends what waits in the outbox for the session's platform. */
  readonly deliver: (session: Session) => Promise<void>;
}

const leaseMs = 20_000;
const beatMs = 5_000;
const replyLifeMs = 24 * 60 * 60 * 1000;

/** Takes each unsettled turn of a session in order of admission, what a crash left open included, to its result. */
export async function drainSession(sessionId: SessionId, lane: LaneControl, deps: DrainDeps): Promise<void> {
  await using lease = await holdSession(sessionId, deps, lane.signal);
  for (;;) {
    const waiting = await deps.store.turns.unsettled(sessionId);
    const [turn] = waiting;
    const session = await deps.store.sessions.get(sessionId);
    if (turn === undefined || session === undefined || !lane.mayBegin()) return;
    const interrupter = waiting.find(({ interrupts }) => interrupts === turn.turnId);
    const stoppedBy = interrupter && (await whoAdmitted(interrupter, deps.store));
    const isReleased = await runOne(turn, session, { ...deps, lane, fence: lease.fence, stoppedBy });
    lane.end();
    await deps.deliver(session);
    if (isReleased) return;
  }
}

/** The program may have ended between an interruption and the end of the turn that it stopped: the word still counts. */
async function whoAdmitted(
  { sessionId, turnId }: TurnRef,
  { turns }: Pick<Store, 'turns'>,
): Promise<PersonId | undefined> {
  const log = await turns.after(sessionId, 0);
  const admitted = log.flatMap(({ turnId: id, entry }) =>
    id === turnId && entry.type === 'turn.admitted' ? [entry.person] : [],
  );
  return admitted[0];
}

interface HeldSession extends AsyncDisposable {
  readonly fence: Fence;
}

/** Holds the session's lease and keeps it alive. Whoever takes it over shuts out every later write of ours by its epoch. */
async function holdSession(
  sessionId: SessionId,
  { store, owner, clock }: DrainDeps,
  signal: AbortSignal,
): Promise<HeldSession> {
  const name = `session:${sessionId}`;
  const grant = await waitOut(() => store.leases.acquire(name, owner, leaseMs), { clock, signal });
  if (grant.type === 'taken') throw new AppError('fenced', `session ${sessionId} is served by ${grant.by}`);
  const beating = new AbortController();
  const beats = keepAlive(() => store.leases.renew(name, owner, leaseMs), clock, beating.signal);
  return {
    fence: { lease: name, epoch: grant.epoch },
    async [Symbol.asyncDispose]() {
      beating.abort();
      await beats;
      // One that cannot be given back runs out by itself.
      await store.leases.release(name, owner).catch(() => undefined);
    },
  };
}

async function keepAlive(renew: () => Promise<boolean>, clock: Clock, signal: AbortSignal): Promise<void> {
  for (;;) {
    const isOver = await clock.sleep(beatMs, signal).then(
      () => false,
      () => true,
    );
    // A renewal that fails needs no care here: the next write is refused by its epoch.
    if (isOver || !(await renew().catch(() => true))) return;
  }
}

interface RunDeps extends DrainDeps {
  readonly lane: LaneControl;
  readonly fence: Fence;
  /** Who interrupted the turn already, if someone did. */
  readonly stoppedBy: PersonId | undefined;
}

/** Runs one turn. True where a shutdown left it unsettled. */
async function runOne(turn: TurnRef, session: Session, deps: RunDeps): Promise<boolean> {
  const show = (event: StepEvent): void => deps.show(session, turn, event);
  await using waits = new WaitTeller({
    tell: (text) => show({ type: 'status', text }),
    countBehind: async () => (await deps.store.turns.unsettled(session.id)).length - 1,
    clock: deps.clock,
  });
  await deps.refreshSettings(session);
  using lease = await deps.agents.lease(session);
  const settleWith = (tx: StoreTx, result: TurnResult): Promise<void> =>
    settleTurn(turn, session, result, { tx, now: deps.clock.now() });
  const { signal, interruptDepth } = deps.lane.begin(turn);
  if (deps.stoppedBy !== undefined) deps.lane.abort({ type: 'stop', by: deps.stoppedBy });
  const run = lease.agent.run(turn, {
    settings: session.settings,
    fence: deps.fence,
    settleWith,
    signal,
    shutdown: deps.lane.signal,
    interruptDepth,
  });
  await using _watching = watchTurn({
    activity: () => lease.agent.activity,
    limitMs: deps.settings.current.config.agent.inactivityMs,
    warn: (text) => deps.tell(session, text),
    end: (reason) => deps.lane.abort({ type: 'inactive', reason }),
    clock: deps.clock,
  });
  for (;;) {
    const next = await run.next();
    if (next.done === true) return next.value.type === 'released';
    waits.take(next.value);
    show(next.value);
  }
}

/** In the same transaction as the result: the reply goes into the outbox and the message counts as dealt with. */
async function settleTurn(
  turn: TurnRef,
  session: Session,
  result: TurnResult,
  { tx, now }: { readonly tx: StoreTx; readonly now: number },
): Promise<void> {
  await tx.inbox.consume(turn.turnId);
  const kind = result.type === 'replied' ? 'reply' : 'notice';
  await tx.outbox.enqueue({
    sessionId: session.id,
    address: session.address,
    kind,
    text: describeResult(result),
    notAfter: now + replyLifeMs,
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

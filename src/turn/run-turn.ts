import { AppError } from '../base/errors.ts';
import { noUsage } from '../model/provider.ts';
import type { ModelRequest } from '../model/provider.ts';
import { textPart } from '../model/message.ts';
import type { ToolOutcome } from '../model/message.ts';
import type { StoreTx } from '../model/store.ts';
import type { OpenCall, TurnState } from '../model/turn-state.ts';
import type { AbortCause, TurnEntry, TurnResult } from '../model/turn.ts';
import type { NodeId } from '../base/ids.ts';
import { announceSpending, bookCall } from './book-call.ts';
import type { EndedCall } from './book-call.ts';
import type { CompactionDeps } from './compact/compaction-deps.ts';
import { considerCompaction } from './compact/consider-compaction.ts';
import type { Step } from './compact/consider-compaction.ts';
import type { CompactionPlan } from './compact/plan-compaction.ts';
import type { Conversation } from './conversation.ts';
import { decideNext } from './decide-next.ts';
import { hearNews } from './hear-news.ts';
import type { NewsDeps } from './hear-news.ts';
import { recordFailure } from './record-failure.ts';
import type { Recorder } from './recorder.ts';
import { runStep } from './run-step.ts';
import type { Unrecorded } from './run-step.ts';
import { runCalled, runTools } from './run-tools.ts';
import type { SettleDeps } from './find-last-word.ts';
import type { ToolDeps } from './tool-deps.ts';

export interface TurnDeps extends CompactionDeps, ToolDeps, SettleDeps, NewsDeps {
  readonly conversation: Conversation;
  readonly recorder: Recorder;
  readonly owner: NodeId;
  /** Whether the session's log was known before the turn began, so that next to nothing has to be done before its first act. */
  readonly isWarm: boolean;
  /** Aborts when the whole program ends; a turn that was stopped before may still be waiting to write its end. */
  readonly shutdown: AbortSignal;
}

/** `released` is a turn that a shutdown left unsettled: the log says how far it came, and the next start goes on. */
export type TurnEnd = TurnResult | { readonly type: 'released' };

/** Takes an admitted turn to its result, with one record before each act. Goes on where an earlier process ended. */
export async function runTurn(deps: TurnDeps, signal: AbortSignal): Promise<TurnEnd> {
  const { recorder } = deps;
  await claim(deps, signal);
  let unrecorded: Unrecorded | undefined;
  while (!signal.aborted) {
    const seenBefore = deps.conversation.seq;
    const next = await considerCompaction(decideNext(recorder.state, deps.limits), deps);
    if (next.type === 'settle') {
      await unlessStopped(() => settleTurn(next.result, deps, signal), signal);
    } else {
      unrecorded = await unlessStopped(() => act(next, deps, signal), signal);
    }
    if (recorder.state.result !== undefined) return recorder.state.result;
    // Every act leaves an entry. Without one the next decision would be the same, for ever.
    const isStuck = deps.conversation.seq === seenBefore && !signal.aborted;
    if (isStuck) throw new AppError('no-progress', `the turn is stuck: ${next.type} recorded nothing`);
  }
  return await endAborted(unrecorded ?? nothing, deps, signal.reason as AbortCause);
}

const nothing: Unrecorded = { preview: '', calls: [] };

/**
 * A claim stands before all that is done for a turn: it is part of the first record, and that comes before the first act. Where the log
 * was only now read, or an earlier start of the turn did not end well, it is written at once: a whole conversation is then weighed and
 * digested before the first act, and if the process ends over that, this start has to count.
 */
async function claim(deps: TurnDeps, signal: AbortSignal): Promise<void> {
  const { recorder, isWarm } = deps;
  if (isWarm && recorder.state.unreleasedStarts === 0) {
    recorder.openWith(() => claimEntry(deps));
    return;
  }
  await unlessStopped(() => claimNow(deps, signal), signal);
  await recorder.reach('claimed');
}

/** Where an earlier process ended in the middle of a call, nobody knows what it took, and the sums have to say so. */
async function claimNow(deps: TurnDeps, signal: AbortSignal): Promise<void> {
  const { recorder } = deps;
  const { asking } = recorder.state;
  await recorder.write(async (tx) => {
    if (asking) await tx.usages.add(recorder.turn, { ...asking, usage: noUsage });
    return await recorder.appendIn(tx, [claimEntry(deps)]);
  }, signal);
}

function claimEntry({ recorder, owner }: TurnDeps): TurnEntry {
  return { type: 'turn.claimed', owner, epoch: recorder.epoch };
}

/** An abort may end a wait by an error of its own; the turn then ends as the abort says. */
async function unlessStopped<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result | undefined> {
  try {
    return await work();
  } catch (thrown) {
    if (signal.aborted && !(thrown instanceof AppError)) return undefined;
    throw thrown;
  }
}

type Act = Exclude<Step, { readonly type: 'settle' }>;

async function act(next: Act, deps: TurnDeps, signal: AbortSignal): Promise<Unrecorded | undefined> {
  switch (next.type) {
    case 'run-tools':
      await runTools(deps, signal);
      return undefined;
    case 'ask':
      return await ask(next.toolUse, deps, signal);
    case 'nudge':
      await deps.recorder.record([{ type: 'turn.nudged', cause: next.cause, text: next.text }], signal);
      return undefined;
    case 'compact':
      return await compact(next.plan, deps, signal);
    case 'restore':
      await deps.recorder.record([{ type: 'context.restored' }], signal);
      return undefined;
    case 'undo':
      await deps.recorder.record([{ type: 'context.undone', turn: next.turn }], signal);
      return undefined;
    case 'give-in':
      await recordFailure(next.failure, deps, signal);
      return undefined;
  }
}

/** Asks the model, and runs at once what its answer calls for and nobody has to be asked about. */
async function ask(
  toolUse: ModelRequest['toolUse'],
  deps: TurnDeps,
  signal: AbortSignal,
): Promise<Unrecorded | undefined> {
  await hearNews(deps, signal);
  const { called, unrecorded } = await runStep(toolUse, deps, signal);
  await runCalled(called, deps, signal);
  return unrecorded;
}

async function compact(plan: CompactionPlan, deps: TurnDeps, signal: AbortSignal): Promise<Unrecorded> {
  const { compactContext } = await import('./compact/compact-context.ts');
  return { preview: '', calls: await compactContext(plan, deps, signal) };
}

async function settleTurn(result: TurnResult, deps: TurnDeps, signal: AbortSignal): Promise<void> {
  if (result.type !== 'parked') {
    await settleUnlessSteered(result, deps, signal);
    return;
  }
  const { endLeftCalls } = await import('./end-left-calls.ts');
  await settleUnlessSteered(await endLeftCalls(result, deps, signal), deps, signal);
}

/**
 * Settles only if nothing arrived meanwhile: steering that comes at the last moment is answered, not lost. No call is left
 * open: a history with a call and no result is one that models refuse for ever after.
 */
async function settleUnlessSteered(
  result: TurnResult,
  { recorder, settleWith }: TurnDeps,
  signal: AbortSignal,
): Promise<void> {
  const isSettled = await recorder.recordIfCurrent(async (tx) => {
    const entries: readonly TurnEntry[] = [...closeCalls(recorder.state, abandoned), { type: 'turn.settled', result }];
    const logged = await recorder.appendIn(tx, entries);
    // Behind the entries, so that whoever reads both finds it there.
    await settleWith(tx, result, recorder.state.pictures);
    return logged;
  }, signal);
  if (isSettled) await recorder.reach('turn-settled');
}

/** A stop gives every open call an outcome and the turn a result, in one write. A shutdown leaves the turn to the next start. */
async function endAborted({ preview, calls }: Unrecorded, deps: TurnDeps, cause: AbortCause): Promise<TurnEnd> {
  const { recorder, settleWith, shutdown } = deps;
  const released: TurnEnd = { type: 'released' };
  if (cause.type === 'shutdown') {
    // Tried once. Where it cannot be written this start counts as a crash, and no more than that.
    return await endWith([{ type: 'turn.released' }], calls, deps).then(
      () => released,
      () => released,
    );
  }
  const result: TurnResult =
    cause.type === 'stop' ? { type: 'interrupted', by: cause.by } : { type: 'failed', reason: cause.reason };
  const entries = [...closeCalls(recorder.state, interrupted), ...keepPreview(preview)];
  try {
    await endWith([...entries, { type: 'turn.settled', result }], calls, deps, (tx) =>
      settleWith(tx, result, recorder.state.pictures),
    );
    return result;
  } catch (thrown) {
    if (shutdown.aborted) return released;
    throw thrown;
  }
}

async function endWith(
  entries: readonly TurnEntry[],
  calls: readonly EndedCall[],
  deps: TurnDeps,
  settle?: (tx: StoreTx) => Promise<void>,
): Promise<void> {
  const { recorder, shutdown } = deps;
  await recorder.write(async (tx) => {
    for (const call of calls) await bookCall(call, recorder.turn, tx);
    const logged = await recorder.appendIn(tx, entries);
    await settle?.(tx);
    return logged;
  }, shutdown);
  await announceSpending(calls, deps);
}

type Close = (open: OpenCall) => ToolOutcome;

const interrupted: Close = () => ({ type: 'interrupted' });

const abandoned: Close = ({ stage }) =>
  stage === 'started'
    ? { type: 'unknown', lastSeen: 'the call had started' }
    : { type: 'failed', message: 'the turn ended before this was run' };

function closeCalls(state: TurnState, close: Close): readonly TurnEntry[] {
  return state.openCalls.map((open) => ({ type: 'tool.settled', callId: open.call.id, outcome: close(open) }));
}

/** What the user saw of a stopped answer stays in the conversation, so that the next turn knows what was said. */
function keepPreview(preview: string): readonly TurnEntry[] {
  if (preview === '') return [];
  const message = { role: 'assistant', parts: [textPart(preview)], calls: [] } as const;
  return [{ type: 'step.finished', message, finish: 'interrupted', usage: noUsage }];
}

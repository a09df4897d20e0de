import type { MicroUsd } from '../model/money.ts';
import { noUsage } from '../model/provider.ts';
import type { ModelFailure, Usage } from '../model/provider.ts';
import type { Runtime } from '../model/runtime.ts';
import type { StoreTx, UsageRecord } from '../model/store.ts';
import type { Reservation, StepEvent, TurnRef } from '../model/turn.ts';
import type { AnswerEnd, ArrivingAnswer } from './arriving-answer.ts';
import type { PlannedCall, Purse } from './purse.ts';

/** A call that was asked and is over, whatever came of it. */
export interface EndedCall extends Pick<UsageRecord, 'runtime' | 'purpose' | 'cacheLife'> {
  readonly reserved: Reservation | undefined;
  /** Undefined where it took nothing. Nothing counted is a call of unknown cost: sums are never too low. */
  readonly usage: Usage | undefined;
  /** What it counts as in the limits; undefined where that is not known, and what was set aside then stays spent. */
  readonly cost: MicroUsd | undefined;
}

/** Writes down what a call took and what it cost, in the transaction that records its end. */
export async function bookCall(call: EndedCall, turn: TurnRef, tx: StoreTx): Promise<void> {
  const { runtime, purpose, cacheLife, usage, reserved, cost } = call;
  if (usage) await tx.usages.add(turn, { runtime, purpose, usage, cacheLife });
  if (reserved && cost !== undefined) await tx.money.settle(reserved.id, cost);
}

/** Says which limits are nearly used up, once calls are booked. */
export async function announceSpending(
  calls: readonly EndedCall[],
  { purse, emit }: { readonly purse: Purse; readonly emit: (event: StepEvent) => void },
): Promise<void> {
  if (calls.every(({ reserved }) => reserved === undefined)) return;
  for (const text of await purse.findWarnings()) emit({ type: 'notice', text });
}

/** A call that was asked: what it may take, and what was set aside for it. */
export interface AskedCall {
  readonly runtime: Runtime;
  readonly purpose: UsageRecord['purpose'];
  readonly planned: PlannedCall;
  readonly reserved: Reservation | undefined;
}

/** A call that ended in one of three ways: with an answer, by a failure, or because it was stopped. */
export async function endCall(
  call: AskedCall,
  arriving: ArrivingAnswer,
  end: AnswerEnd,
  purse: Purse,
): Promise<EndedCall> {
  if (end.type === 'finished') return await endCounted(call, end.usage, purse);
  const wasStopped = end.failure.type === 'aborted';
  return wasStopped ? await endStopped(call, arriving, purse) : endFailed(call, end.failure, arriving.hasBegun);
}

/** A call whose answer arrived with its count. */
export async function endCounted(call: AskedCall, usage: Usage, purse: Purse): Promise<EndedCall> {
  const { name: runtime, cacheLife } = call.runtime;
  const cost = call.reserved && (await purse.costOf({ runtime, usage, cacheLife }));
  return { ...named(call), usage, cost };
}

/** A call that failed. Without a beginning of an answer it cost nothing; one that broke off may have been charged for. */
export function endFailed(call: AskedCall, failure: ModelFailure, hasBegun: boolean): EndedCall {
  const isFree = !hasBegun && wasRefused(failure);
  return { ...named(call), usage: isFree ? undefined : noUsage, cost: isFree ? 0 : undefined };
}

/** A call that was stopped: it read its prompt and wrote what was seen. Where more may have been written, all of it counts. */
async function endStopped(call: AskedCall, arriving: ArrivingAnswer, purse: Purse): Promise<EndedCall> {
  // Over Responses, thoughts are written that nobody is shown.
  const isAllSeen = !arriving.hasHidden && call.runtime.apiMode !== 'codex_responses';
  const planned = { ...call.planned, maxOutputTokens: arriving.bytes };
  const cost = call.reserved && isAllSeen ? await purse.worstCost(planned) : undefined;
  return { ...named(call), usage: noUsage, cost };
}

function wasRefused(failure: ModelFailure): boolean {
  const neverArrived = failure.type === 'transport' && failure.kind.startsWith('connect');
  return neverArrived || failure.type === 'http' || failure.type === 'client';
}

function named({ runtime: { name, cacheLife }, purpose, reserved }: AskedCall): Omit<EndedCall, 'usage' | 'cost'> {
  return { runtime: name, purpose, cacheLife, reserved };
}

import { isJsonObject, parseJson } from '../base/json.ts';
import { partsToText } from '../model/message.ts';
import type { AssistantMessage } from '../model/message.ts';
import type { Finish, ModelFailure, TransportKind, UnusableKind } from '../model/provider.ts';
import type { AfterFailure } from '../model/turn.ts';

/** What is known about a call that failed, besides its failure. */
export interface CallHistory {
  /** Failures of this call at this runtime before the present one. */
  readonly failuresBefore: number;
  readonly hasRecovered: boolean;
  /** Whether the turn is still at the runtime that it began with. */
  readonly stage: 'first-choice' | 'fallback';
  readonly route: 'direct' | 'aggregator';
  /** The place in the chain of the next runtime, if there is one left. */
  readonly nextPlace: number | undefined;
}

export interface Decision {
  readonly next: AfterFailure;
  readonly afterMs: number;
}

const mostRetries = 3;
const mostUnusableRetries: Readonly<Record<UnusableKind, number>> = { empty: 2, 'broken-call': 2, 'cut-call': 3 };
const longestWaitMs = 60_000;
const longestWorthwhileWaitMs = 20_000;
const retriedStatuses: ReadonlySet<number> = new Set([408, 409, 429]);
const freshConnectionHelps: ReadonlySet<TransportKind> = new Set([
  'read-timeout',
  'connect-timeout',
  'pool-timeout',
  'connect-error',
]);

/** What follows a failed call, and after which wait. Pure. */
export function decideRetry(failure: ModelFailure, history: CallHistory): Decision {
  const retryAfterMs = decideWait(failure, history);
  if (retryAfterMs !== undefined) return { next: { type: 'retry' }, afterMs: retryAfterMs };
  if (earnsRecovery(failure, history)) {
    return { next: { type: 'recover' }, afterMs: Math.min(3 + history.failuresBefore, 8) * 1000 };
  }
  const isOwnDoing = failure.type === 'aborted';
  if (isOwnDoing || history.nextPlace === undefined) return { next: { type: 'give-up' }, afterMs: 0 };
  return { next: { type: 'fall-back', to: history.nextPlace }, afterMs: 0 };
}

/** How long to wait before the same call is made again; undefined where that would not help. */
function decideWait(failure: ModelFailure, history: CallHistory): number | undefined {
  const { failuresBefore } = history;
  switch (failure.type) {
    case 'transport':
    case 'protocol':
      return failuresBefore < mostRetries ? backOff(failuresBefore) : undefined;
    case 'http':
      if (failure.status < 500 && !retriedStatuses.has(failure.status)) return undefined;
      if (failuresBefore >= mostRetries) return undefined;
      return worthwhile(failure.retryAfterMs ?? backOff(failuresBefore), history);
    case 'unusable':
      return failuresBefore < mostUnusableRetries[failure.kind] ? 0 : undefined;
    case 'client':
    case 'aborted':
      return undefined;
  }
}

function backOff(failuresBefore: number): number {
  return Math.min(1000 * 2 ** failuresBefore, longestWaitMs);
}

/** A long wait that a server asks for is not waited while another runtime could answer. */
function worthwhile(waitMs: number, { nextPlace }: CallHistory): number | undefined {
  if (waitMs > longestWorthwhileWaitMs && nextPlace !== undefined) return undefined;
  return Math.min(waitMs, longestWaitMs);
}

/** One more try with a new client, for a broken transport to the first choice, once its ordinary retries are spent. */
function earnsRecovery(failure: ModelFailure, history: CallHistory): boolean {
  if (failure.type !== 'transport' || !freshConnectionHelps.has(failure.kind)) return false;
  return history.stage === 'first-choice' && history.route === 'direct' && !history.hasRecovered;
}

/** What is wrong with an answer that arrived whole, or undefined where it can be used. Pure. */
export function findFault(message: AssistantMessage, finish: Finish, failuresBefore: number): UnusableKind | undefined {
  // A call that the length limit cut may still look like JSON; it is never run.
  if (finish === 'length' && message.calls.length > 0) return 'cut-call';
  if (finish === 'length') return undefined;
  const isEmpty = message.calls.length === 0 && partsToText(message.parts).trim() === '';
  if (isEmpty) return finish === 'filtered' ? undefined : 'empty';
  const hasBrokenCall = message.calls.some((call) => !isJsonObject(parseJson(call.arguments)));
  // After its retries the broken call is kept: the model reads what was wrong with it as the call's result.
  if (hasBrokenCall && failuresBefore < mostUnusableRetries['broken-call']) return 'broken-call';
  return undefined;
}

/** How much output to ask for: more with every answer that was cut off, never less than was configured. */
export function outputAllowance(configured: number | undefined, cutsBefore: number): number | undefined {
  if (cutsBefore === 0) return configured;
  const base = configured ?? 4096;
  return Math.max(base, Math.min(base * (cutsBefore + 1), 32_768));
}

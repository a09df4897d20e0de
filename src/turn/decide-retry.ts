import type { ModelFailure, RefusalKind, TransportKind } from '../model/provider.ts';
import type { Runtime } from '../model/runtime.ts';
import type { AfterFailure } from '../model/turn.ts';
import { adviseAfter } from './describe-failure.ts';
import { mostUnusableAnswers } from './find-fault.ts';

/** What is known about a call that failed, besides its failure. */
export interface CallHistory {
  readonly runtime: Pick<Runtime, 'name' | 'vendor' | 'route' | 'keyName'>;
  /** Failures of this call at this runtime before the present one. */
  readonly failuresBefore: number;
  readonly hasRecovered: boolean;
  readonly hasForgottenReasoning: boolean;
  /** Whether the key is one that can be printed anew, and was not yet for this call. */
  readonly canRefreshKey: boolean;
  /** Whether the call showed it any images. */
  readonly hasImages: boolean;
  /** Whether the turn is still at the runtime that it began with, with whichever of its keys. */
  readonly stage: 'first-choice' | 'fallback';
  /** Whether a shorter conversation can be had: not where that was tried too often, or is switched off. */
  readonly compaction: 'possible' | 'spent' | 'off';
  /** The place in the chain of another key of the same runtime, if one is left that may be asked. */
  readonly nextKey: number | undefined;
  /** The place in the chain of the next runtime, if there is one left. */
  readonly nextPlace: number | undefined;
}

export interface Decision {
  readonly next: AfterFailure;
  readonly afterMs: number;
}

type Remedy = Exclude<AfterFailure['type'], 'give-up'>;

/** What helps against what a server refuses, in the order in which it is tried. */
const remedies: Readonly<Record<RefusalKind, readonly Remedy[]>> = {
  auth: ['refresh-key', 'rotate', 'fall-back'],
  forbidden: ['rotate', 'fall-back'],
  billing: ['rotate', 'fall-back'],
  'rate-limit': ['rotate', 'retry', 'fall-back'],
  overloaded: ['retry', 'fall-back'],
  server: ['retry', 'fall-back'],
  overflow: ['compact', 'fall-back'],
  'stale-reasoning': ['forget-reasoning', 'fall-back'],
  images: ['withhold-images', 'fall-back'],
  'not-found': ['fall-back'],
  filtered: ['fall-back'],
  'bad-request': ['fall-back'],
};

const mostRetries = 3;
/** How often a call is made at one runtime, as a rule. */
export const usualTries = mostRetries + 1;
const longestBackOffMs = 60_000;
const longestAskedWaitMs = 120_000;
const longestWorthwhileWaitMs = 20_000;
const freshConnectionHelps: ReadonlySet<TransportKind> = new Set([
  'read-timeout',
  'connect-timeout',
  'pool-timeout',
  'connect-error',
]);

/** What follows a failed call, and after which wait: the first of its remedies that can still be had. Pure. */
export function decideRetry(failure: ModelFailure, history: CallHistory): Decision {
  for (const remedy of remediesFor(failure)) {
    const decision = tryRemedy(remedy, failure, history);
    if (decision !== undefined) return decision;
  }
  const advice = adviseAfter(failure, history);
  return { next: { type: 'give-up', ...(advice === undefined ? {} : { advice }) }, afterMs: 0 };
}

function remediesFor(failure: ModelFailure): readonly Remedy[] {
  switch (failure.type) {
    case 'transport':
      return ['retry', 'recover', 'fall-back'];
    case 'protocol':
    case 'unusable':
      return ['retry', 'fall-back'];
    case 'http':
      return remedies[failure.kind];
    // Of several keys another may be had where one could not.
    case 'client':
      return ['rotate', 'fall-back'];
    // It was our own doing, and is nobody else's to answer.
    case 'aborted':
      return [];
  }
}

function tryRemedy(remedy: Remedy, failure: ModelFailure, history: CallHistory): Decision | undefined {
  const { nextKey, nextPlace, compaction, canRefreshKey, hasForgottenReasoning, hasImages, runtime } = history;
  switch (remedy) {
    case 'retry':
      return after({ type: 'retry' }, decideWait(failure, history));
    case 'recover':
      return after({ type: 'recover' }, decideRecovery(failure, history));
    case 'refresh-key':
      return canRefreshKey ? after({ type: 'refresh-key' }, 0) : undefined;
    case 'rotate':
      return nextKey === undefined ? undefined : after({ type: 'rotate', to: nextKey }, 0);
    case 'compact':
      return compaction === 'possible' ? after({ type: 'compact' }, 0) : undefined;
    case 'forget-reasoning':
      return hasForgottenReasoning ? undefined : after({ type: 'forget-reasoning', of: runtime.vendor }, 0);
    case 'withhold-images':
      return hasImages ? after({ type: 'withhold-images', from: runtime.name }, 0) : undefined;
    case 'fall-back':
      return nextPlace === undefined ? undefined : after({ type: 'fall-back', to: nextPlace }, 0);
  }
}

function after(next: AfterFailure, afterMs: number | undefined): Decision | undefined {
  return afterMs === undefined ? undefined : { next, afterMs };
}

/** How long to wait before the same call is made again; undefined where that would not help any more. */
function decideWait(failure: ModelFailure, history: CallHistory): number | undefined {
  const { failuresBefore } = history;
  if (failure.type === 'unusable') return failuresBefore < mostUnusableAnswers[failure.kind] ? 0 : undefined;
  if (failuresBefore >= mostRetries) return undefined;
  const backOffMs = Math.min(1000 * 2 ** failuresBefore, longestBackOffMs);
  const askedMs = failure.type === 'http' ? (failure.retryAfterMs ?? 0) : 0;
  // A server that asks for no wait at all is still not asked in a tight loop.
  return worthwhile(Math.max(backOffMs, askedMs), history);
}

/** A long wait that a server asks for is not waited while another runtime could answer. */
function worthwhile(waitMs: number, { nextPlace }: CallHistory): number | undefined {
  if (waitMs > longestWorthwhileWaitMs && nextPlace !== undefined) return undefined;
  return Math.min(waitMs, longestAskedWaitMs);
}

/** One more try with a new client, for a broken transport to the first choice, once its ordinary retries are spent. */
function decideRecovery(failure: ModelFailure, history: CallHistory): number | undefined {
  if (failure.type !== 'transport' || !freshConnectionHelps.has(failure.kind)) return undefined;
  if (history.stage !== 'first-choice' || history.runtime.route !== 'direct' || history.hasRecovered) return undefined;
  return Math.min(3 + history.failuresBefore, 8) * 1000;
}

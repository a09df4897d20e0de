import { isJsonObject, parseJson } from '../base/json.ts';
import { partsToText } from '../model/message.ts';
import type { AssistantMessage } from '../model/message.ts';
import type { Finish, ModelFailure, UnusableKind } from '../model/provider.ts';

export type Retry = { readonly type: 'retry'; readonly afterMs: number } | { readonly type: 'give-up' };

const mostRetries = 3;
const mostUnusableRetries: Readonly<Record<UnusableKind, number>> = { empty: 2, 'broken-call': 2, 'cut-call': 3 };
const longestWaitMs = 60_000;
const retriedStatuses: ReadonlySet<number> = new Set([408, 409, 429]);

/** Whether a failed call is tried again, after this many failures before it, and when. Pure. */
export function decideRetry(failure: ModelFailure, failuresBefore: number): Retry {
  switch (failure.type) {
    case 'transport':
    case 'protocol':
      return retryWithin(mostRetries, failuresBefore, undefined);
    case 'http':
      if (failure.status < 500 && !retriedStatuses.has(failure.status)) return { type: 'give-up' };
      return retryWithin(mostRetries, failuresBefore, failure.retryAfterMs);
    case 'unusable':
      return failuresBefore < mostUnusableRetries[failure.kind] ? { type: 'retry', afterMs: 0 } : { type: 'give-up' };
    case 'aborted':
      return { type: 'give-up' };
  }
}

function retryWithin(limit: number, failuresBefore: number, askedForMs: number | undefined): Retry {
  if (failuresBefore >= limit) return { type: 'give-up' };
  return { type: 'retry', afterMs: Math.min(askedForMs ?? 1000 * 2 ** failuresBefore, longestWaitMs) };
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

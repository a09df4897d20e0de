import type { ModelFailure, RefusalKind } from '../model/provider.ts';
import type { Runtime } from '../model/runtime.ts';

/** Why a key is left alone: it was refused, or its account may not ask for more just now. */
export type RestCause = 'refused' | 'rate-limit' | 'billing';

/** A rest that is not over yet. */
export interface Rest {
  readonly cause: RestCause;
  readonly leftMs: number;
}

interface KnownRest {
  readonly cause: RestCause;
  readonly untilMs: number;
  /** How many rests there were since the key last worked. */
  readonly inARow: number;
}

const minuteMs = 60_000;
const refusedMs = 5 * minuteMs;
const longestMs = 240 * minuteMs;
// A server that asks for no rest at all would otherwise get its keys in a circle, without a pause.
const shortestMs = 1000;

const causes: Readonly<Partial<Record<RefusalKind, RestCause>>> = {
  auth: 'refused',
  forbidden: 'refused',
  billing: 'billing',
  'rate-limit': 'rate-limit',
};

/**
 * Which keys are left alone for a while, by the monotonic clock. Shared by all sessions of a process: a limit is the
 * account's, not the conversation's. Keys are known by the name of their variable.
 */
export class CoolDowns {
  readonly #rests = new Map<string, KnownRest>();

  /** Leaves a key alone if that is what its failure means: for as long as the server asked, else longer every time. */
  begin(runtime: Runtime, failure: ModelFailure, nowMs: number): void {
    const cause = causeOf(failure);
    if (cause === undefined) return;
    const inARow = (this.#rests.get(keyOf(runtime))?.inARow ?? 0) + 1;
    const usualMs = cause === 'refused' ? refusedMs : minuteMs * 2 ** (inARow - 1);
    const askedMs = failure.type === 'http' ? failure.retryAfterMs : undefined;
    const restMs = Math.min(Math.max(askedMs ?? usualMs, shortestMs), longestMs);
    this.#rests.set(keyOf(runtime), { cause, untilMs: nowMs + restMs, inARow });
  }

  /** The key works: its next rest is a short one again. */
  end(runtime: Runtime): void {
    this.#rests.delete(keyOf(runtime));
  }

  /** The rest that a key is in; undefined where it may be asked. */
  find(runtime: Runtime, nowMs: number): Rest | undefined {
    const rest = this.#rests.get(keyOf(runtime));
    return rest && rest.untilMs > nowMs ? { cause: rest.cause, leftMs: rest.untilMs - nowMs } : undefined;
  }
}

/** A key that could not even be had is as good as refused. */
function causeOf(failure: ModelFailure): RestCause | undefined {
  if (failure.type === 'client') return 'refused';
  return failure.type === 'http' ? causes[failure.kind] : undefined;
}

function keyOf({ baseUrl, model, keyName }: Runtime): string {
  return `${baseUrl} ${model} ${keyName ?? ''}`;
}

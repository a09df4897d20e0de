import assert from 'node:assert/strict';
import type { TurnId } from '../../src/base/ids.ts';
import type { ModelFailure } from '../../src/model/provider.ts';
import { nameRuntime } from '../../src/model/runtime.ts';
import type { AfterFailure } from '../../src/model/turn.ts';
import type { Setup } from './random-plan.ts';
import type { Played } from './random-player.ts';
import { keysOf } from './random-settings.ts';

interface Start {
  readonly runtime: string;
  readonly key: string;
}

/** The first call of every turn goes to the primary, with the first of its keys that does not rest. */
export function judgeStarts(played: Played): void {
  for (const { seq, expected, actual } of startsOf(played)) {
    assert.equal(actual.runtime, expected.runtime, `the turn that first asked at entry ${seq} began elsewhere`);
    // Without a request, the key that it would have come with is not known.
    if (actual.key !== '') assert.equal(actual.key, expected.key, `the turn that first asked at entry ${seq}`);
  }
}

export interface JudgedStart {
  readonly seq: number;
  readonly expected: Start;
  readonly actual: Start;
}

/** Where each turn began, and where it was to begin. */
export function startsOf({ log, sent, restarts, plan: { setup } }: Played): readonly JudgedStart[] {
  const keys = new Map(sent.map(({ seq, key }) => [seq, key]));
  const rests = new Rests(setup);
  const expected = new Map<TurnId, Start>();
  const begun = new Set<TurnId>();
  const starts: JudgedStart[] = [];
  const left = [...restarts];
  let key = '';
  for (const { seq, turnId, at, entry } of log) {
    while (left[0] !== undefined && left[0] < seq) {
      rests.forget();
      left.shift();
    }
    if (entry.type === 'turn.claimed') expected.set(turnId, rests.chooseStart(at));
    if (entry.type === 'step.asked') {
      key = keys.get(seq) ?? '';
      const start = expected.get(turnId);
      if (!begun.has(turnId) && start) starts.push({ seq, expected: start, actual: { runtime: entry.runtime, key } });
      begun.add(turnId);
    }
    if (entry.type === 'step.finished' && entry.finish !== 'interrupted') rests.end(key);
    if (entry.type === 'step.failed') rests.take(key, entry.failure, { next: entry.next, at });
  }
  return starts;
}

interface Rest {
  readonly isLimit: boolean;
  readonly until: number;
  readonly inARow: number;
}

const minuteMs = 60_000;

/** What the documentation says about rests, counted from the log. They do not outlive the program. */
class Rests {
  readonly #chain: readonly Start[];
  readonly #primary: readonly Start[];
  readonly #rests = new Map<string, Rest>();

  constructor({ runtimes }: Setup) {
    const chain = runtimes.map((runtime, place) =>
      keysOf(runtime, place).map((key) => ({ runtime: nameRuntime(runtime.vendor, runtime.model), key })),
    );
    this.#chain = chain.flat();
    this.#primary = chain[0] ?? [];
  }

  forget(): void {
    this.#rests.clear();
  }

  end(key: string): void {
    this.#rests.delete(key);
  }

  /** A key rests only where the turn went on without it. An answer that could not be used still was an answer. */
  take(key: string, failure: ModelFailure, { next, at }: { readonly next: AfterFailure; readonly at: number }): void {
    if (failure.type === 'unusable') this.end(key);
    if (failure.type !== 'http' || (next.type !== 'rotate' && next.type !== 'fall-back')) return;
    const isRefused = failure.kind === 'auth' || failure.kind === 'forbidden';
    const isLimit = failure.kind === 'billing' || failure.kind === 'rate-limit';
    if (!isRefused && !isLimit) return;
    const inARow = (this.#rests.get(key)?.inARow ?? 0) + 1;
    const usualMs = isRefused ? 5 * minuteMs : minuteMs * 2 ** (inARow - 1);
    const restMs = Math.min(Math.max(failure.retryAfterMs ?? usualMs, 1000), 240 * minuteMs);
    this.#rests.set(key, { isLimit, until: at + restMs, inARow });
  }

  chooseStart(now: number): Start {
    const restOf = ({ key }: Start): Rest | undefined => {
      const rest = this.#rests.get(key);
      return rest && rest.until > now ? rest : undefined;
    };
    const awake = (start: Start): boolean => restOf(start) === undefined;
    const start =
      this.#primary.find(awake) ??
      this.#primary.find((each) => restOf(each)?.isLimit === false) ??
      this.#chain.find(awake) ??
      this.#primary[0];
    assert.ok(start);
    return start;
  }
}

export function isAtPrimary({ actual }: JudgedStart, { runtimes: [primary] }: Setup): boolean {
  return primary !== undefined && actual.runtime === nameRuntime(primary.vendor, primary.model);
}

import type { Clock } from '../base/clock.ts';
import type { PersonId } from '../base/ids.ts';
import type { Catalogue } from '../model/catalogue.ts';
import type { MoneyLimits } from '../model/config.ts';
import { formatUsd } from '../model/money.ts';
import type { MicroUsd } from '../model/money.ts';
import { noUsage } from '../model/provider.ts';
import type { CacheLife, Runtime, RuntimeName } from '../model/runtime.ts';
import type { Money, StoreTx } from '../model/store.ts';
import type { Reservation, TurnRef } from '../model/turn.ts';
import { limitCost } from './limit-cost.ts';
import type { MadeCall } from './limit-cost.ts';
import { describeLimit, describeUnpriced, limitsFor } from './money-limits.ts';
import type { Limit } from './money-limits.ts';

export interface PurseDeps {
  readonly settings: MoneyLimits;
  readonly catalogue: Pick<Catalogue, 'cost' | 'window'>;
  readonly money: Pick<Money, 'spent' | 'reserve' | 'settle'>;
  readonly clock: Clock;
  readonly turn: TurnRef;
  readonly person: PersonId;
}

/** A call that is about to be made. The prompt is only measured where there are limits. */
export interface PlannedCall {
  readonly runtime: RuntimeName;
  readonly mostPromptTokens: number;
  readonly maxOutputTokens: number | undefined;
  readonly cacheLife: CacheLife;
}

export type Budget =
  | { readonly type: 'unlimited' }
  | { readonly type: 'limited'; readonly amount: MicroUsd; readonly limits: readonly Limit[] }
  | { readonly type: 'unpriced'; readonly detail: string };

export type Setting =
  | { readonly type: 'set-aside'; readonly reserved: Reservation | undefined }
  | { readonly type: 'over'; readonly detail: string };

/** How long an answer may get where money is limited and nothing else ends it: without an end there is no worst case. */
export const longestAnswer = 32_000;
/** How much of a window an answer gets where the prompt may be too long for more: shortening leaves at least that. */
const leastWindowShare = 0.25;
const warningShare = 0.8;

/**
 * The money that one turn may spend. The worst case of a call is set aside before it is sent and replaced by its cost
 * afterwards, so that calls side by side cannot pass a limit together. What is never settled stays spent.
 */
export class Purse {
  readonly #deps: PurseDeps;

  constructor(deps: PurseDeps) {
    this.#deps = deps;
  }

  get whenReached(): MoneyLimits['whenReached'] {
    return this.#deps.settings.whenReached;
  }

  /** Whether there is any limit. */
  get isLimited(): boolean {
    return this.#limits().length > 0;
  }

  /**
   * The longest answer to ask for where nobody said how long it may get; undefined where nothing has to be kept. What costs
   * nothing needs no end, and no server is asked for more than it can read and write together.
   */
  async boundOutput({ name, window, cacheLife }: Runtime, mostPromptTokens: number): Promise<number | undefined> {
    const { catalogue, clock } = this.#deps;
    if (!this.isLimited) return undefined;
    const cost = await catalogue.cost(name, { ...noUsage, output: longestAnswer }, clock.now(), cacheLife);
    if (cost === undefined || cost === 0) return undefined;
    const known = window ?? (await catalogue.window(name)) ?? Infinity;
    const room = Math.max(known - mostPromptTokens, Math.floor(known * leastWindowShare));
    return Math.min(room, longestAnswer);
  }

  /** The worst case of a call, and what it must stay within; a lifted limit still counts what is spent. */
  async plan(call: PlannedCall, isLifted: boolean): Promise<Budget> {
    const limits = this.#limits();
    if (limits.length === 0) return { type: 'unlimited' };
    const amount = await this.worstCost(call);
    if (amount !== undefined) {
      return {
        type: 'limited',
        amount,
        limits: isLifted ? limits.map((one) => ({ ...one, limit: Infinity })) : limits,
      };
    }
    return isLifted ? { type: 'unlimited' } : { type: 'unpriced', detail: describeUnpriced(call.runtime) };
  }

  /** Sets a budget aside, in the transaction that records the call. */
  async setAside(budget: Budget, tx: Pick<StoreTx, 'money'>): Promise<Setting> {
    if (budget.type === 'unlimited') return { type: 'set-aside', reserved: undefined };
    if (budget.type === 'unpriced') return { type: 'over', detail: budget.detail };
    const { amount, limits } = budget;
    const result = await tx.money.reserve(amount, limits);
    if (result.type === 'over-limit') return { type: 'over', detail: describeLimit(result, limits, amount) };
    return { type: 'set-aside', reserved: { id: result.id, amount } };
  }

  /** What a call counts as; undefined where that is not known, and what was set aside is then the figure that counts. */
  async costOf(call: MadeCall): Promise<MicroUsd | undefined> {
    const { fresh, cacheRead, cacheWrite, output } = call.usage;
    const isCounted = fresh + cacheRead + cacheWrite + output > 0;
    return isCounted ? await limitCost(call, this.#deps.catalogue, this.#deps.clock.now()) : undefined;
  }

  /** What a call costs at most; undefined where the price is not known. */
  async worstCost(call: PlannedCall): Promise<MicroUsd | undefined> {
    const { runtime, mostPromptTokens: prompt, maxOutputTokens, cacheLife } = call;
    const { catalogue, clock } = this.#deps;
    const [output, now] = [maxOutputTokens ?? longestAnswer, clock.now()];
    const asRead = await catalogue.cost(runtime, { ...noUsage, fresh: prompt, output }, now, cacheLife);
    // Where writing to the cache has a price of its own, it is the higher one.
    const asWritten = await catalogue.cost(runtime, { ...noUsage, cacheWrite: prompt, output }, now, cacheLife);
    return asRead === undefined ? undefined : Math.max(asRead, asWritten ?? 0);
  }

  /** A line for each limit of which four fifths are spent, once for each: whichever call it was that passed the mark. */
  async findWarnings(): Promise<readonly string[]> {
    const warnings: string[] = [];
    for (const { scope, limit, what } of this.#limits()) {
      const spent = await this.#deps.money.spent(scope);
      if (spent >= limit * warningShare && (await this.#isFirstWarning(scope, limit)))
        warnings.push(`${formatUsd(spent)} of the ${formatUsd(limit)} for ${what} are spent`);
    }
    return warnings;
  }

  /** That somebody was warned is kept beside the sum, since sessions and processes share it. A limit that was raised warns anew. */
  async #isFirstWarning(scope: string, limit: MicroUsd): Promise<boolean> {
    const { money } = this.#deps;
    const mark = await money.reserve(1, [{ scope: `warned:${limit}:${scope}`, limit: 1 }]);
    if (mark.type === 'over-limit') return false;
    await money.settle(mark.id, 1);
    return true;
  }

  #limits(): readonly Limit[] {
    const { settings, turn, person, clock } = this.#deps;
    return limitsFor(settings, { turn, person, now: clock.now() });
  }
}

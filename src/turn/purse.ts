import type { Clock } from '../base/clock.ts';
import type { PersonId } from '../base/ids.ts';
import type { Catalogue } from '../model/catalogue.ts';
import type { MoneyLimits } from '../model/config.ts';
import { formatUsd } from '../model/money.ts';
import type { MicroUsd } from '../model/money.ts';
import { noUsage } from '../model/provider.ts';
import type { Usage } from '../model/provider.ts';
import type { RuntimeName } from '../model/runtime.ts';
import type { Money, StoreTx } from '../model/store.ts';
import type { Reservation, TurnRef } from '../model/turn.ts';
import { describeLimit, describeUnpriced, limitsFor } from './money-limits.ts';
import type { Limit } from './money-limits.ts';

export interface PurseDeps {
  readonly settings: MoneyLimits;
  readonly catalogue: Pick<Catalogue, 'cost'>;
  readonly money: Pick<Money, 'spent'>;
  readonly clock: Clock;
  readonly turn: TurnRef;
  readonly person: PersonId;
}

/** A call that is about to be made. The prompt is only measured where there are limits. */
export interface PlannedCall {
  readonly runtime: RuntimeName;
  readonly mostPromptTokens: () => number;
  readonly maxOutputTokens: number | undefined;
}

export type Budget =
  | { readonly type: 'unlimited' }
  | { readonly type: 'limited'; readonly amount: MicroUsd; readonly limits: readonly Limit[] }
  | { readonly type: 'unpriced'; readonly detail: string };

export type Setting =
  | { readonly type: 'set-aside'; readonly reserved: Reservation | undefined }
  | { readonly type: 'over'; readonly detail: string };

/** How long an answer may get where money is limited and nothing else ends it: without an end there is no worst case. */
const longestAnswer = 32_000;
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

  /** The longest answer to ask for. */
  boundOutput(asked: number | undefined): number | undefined {
    return asked ?? (this.#limits().length > 0 ? longestAnswer : undefined);
  }

  /** The worst case of a call, and what it must stay within; a lifted limit still counts what is spent. */
  async plan(call: PlannedCall, isLifted: boolean): Promise<Budget> {
    const limits = this.#limits();
    if (limits.length === 0) return { type: 'unlimited' };
    const amount = await this.#worstCost(call);
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

  /** What a call cost; undefined where that is not known, and what was set aside is then the figure that counts. */
  async costOf(runtime: RuntimeName, usage: Usage): Promise<MicroUsd | undefined> {
    const isCounted = usage.fresh + usage.cacheRead + usage.cacheWrite + usage.output > 0;
    return isCounted ? await this.#deps.catalogue.cost(runtime, usage, this.#deps.clock.now()) : undefined;
  }

  /** A line for each limit that a call took past four fifths. */
  async warnAfter(cost: MicroUsd): Promise<readonly string[]> {
    const warnings: string[] = [];
    for (const { scope, limit, what } of this.#limits()) {
      const spent = await this.#deps.money.spent(scope);
      const mark = limit * warningShare;
      if (spent >= mark && spent - cost < mark)
        warnings.push(`${formatUsd(spent)} of the ${formatUsd(limit)} for ${what} are spent`);
    }
    return warnings;
  }

  #limits(): readonly Limit[] {
    const { settings, turn, person, clock } = this.#deps;
    return limitsFor(settings, { turn, person, now: clock.now() });
  }

  async #worstCost({ runtime, mostPromptTokens, maxOutputTokens }: PlannedCall): Promise<MicroUsd | undefined> {
    const { catalogue, clock } = this.#deps;
    const [prompt, output, now] = [mostPromptTokens(), maxOutputTokens ?? longestAnswer, clock.now()];
    const asRead = await catalogue.cost(runtime, { ...noUsage, fresh: prompt, output }, now);
    // Where writing to the cache has a price of its own, it is the higher one.
    const asWritten = await catalogue.cost(runtime, { ...noUsage, cacheWrite: prompt, output }, now);
    return asRead === undefined ? undefined : Math.max(asRead, asWritten ?? 0);
  }
}

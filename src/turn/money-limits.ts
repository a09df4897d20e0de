import type { PersonId } from '../base/ids.ts';
import type { MoneyLimits } from '../model/config.ts';
import { formatUsd, microUsdPerUsd } from '../model/money.ts';
import type { MicroUsd } from '../model/money.ts';
import type { RuntimeName } from '../model/runtime.ts';
import type { Reserved, SpendLimit } from '../model/store.ts';
import type { TurnRef } from '../model/turn.ts';

/** A limit that is set, with the scope that its spending is added up in. */
export interface Limit extends SpendLimit {
  readonly what: string;
  /** Its key under `limits` in the settings. */
  readonly key: string;
}

/** Whose money a call would spend, and when. */
export interface Spender {
  readonly turn: TurnRef;
  readonly person: PersonId;
  readonly now: number;
}

/** The limits that apply to a call. Pure. */
export function limitsFor(limits: MoneyLimits, { turn, person, now }: Spender): readonly Limit[] {
  const { day, month } = calendarOf(now);
  const all = [
    { scope: `turn:${turn.turnId}`, usd: limits.perTurn, what: 'a turn', key: 'per_turn' },
    { scope: `session:${turn.sessionId}`, usd: limits.perSession, what: 'a session', key: 'per_session' },
    { scope: `person:${person}:${day}`, usd: limits.perPerson, what: 'a person and day', key: 'per_person' },
    { scope: `day:${day}`, usd: limits.perDay, what: 'a day', key: 'per_day' },
    { scope: `month:${month}`, usd: limits.perMonth, what: 'a month', key: 'per_month' },
  ];
  return all.flatMap(({ scope, usd, what, key }) =>
    usd === undefined ? [] : [{ scope, what, key, limit: Math.round(usd * microUsdPerUsd) }],
  );
}

/** Days and months are those of the machine's own time zone: that is when its people's days begin. */
function calendarOf(now: number): { readonly day: string; readonly month: string } {
  const date = new Date(now);
  const month = `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}`;
  return { day: `${month}-${String(date.getDate()).padStart(2, '0')}`, month };
}

type OverLimit = Extract<Reserved, { readonly type: 'over-limit' }>;

/** A limit that would be passed, for people. Pure. */
export function describeLimit({ scope, spent, limit }: OverLimit, limits: readonly Limit[], amount: MicroUsd): string {
  const passed = limits.find((candidate) => candidate.scope === scope);
  const facts = `the limit for ${passed?.what ?? 'money'} is ${formatUsd(limit)}; ${formatUsd(spent)} are spent or set aside, and the next call may cost up to ${formatUsd(amount)}`;
  const raise = `raise limits.${passed?.key ?? '*'}`;
  // Where no answer of any length would fit, a shorter one is no cure.
  return spent >= limit
    ? `${facts}: ${raise}`
    : `${facts}: ${raise}, or ask for shorter answers with model.max_output_tokens`;
}

export function describeUnpriced(runtime: RuntimeName): string {
  return `there are limits of money, but the price of ${runtime} is not known, so they could not be kept: set prices."${runtime}" (input and output) in the settings, or take out limits`;
}

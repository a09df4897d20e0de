import type { Catalogue } from '../model/catalogue.ts';
import { formatUsd } from '../model/money.ts';
import type { MicroUsd } from '../model/money.ts';
import type { Usage } from '../model/provider.ts';
import type { RuntimeName } from '../model/runtime.ts';
import type { UsageRecord } from '../model/store.ts';

/** A call with what it cost; undefined where that is not known. */
export interface PricedCall extends UsageRecord {
  readonly cost: MicroUsd | undefined;
}

/** What several calls took together. */
export interface UsageSum extends Usage {
  readonly calls: number;
  /** Of the calls whose price is known. */
  readonly knownCost: MicroUsd;
  /** The models of the others, one for each call. */
  readonly unpriced: readonly RuntimeName[];
}

/** Prices every call by the prices of its own time. */
export async function priceCalls(
  records: readonly UsageRecord[],
  catalogue: Pick<Catalogue, 'cost'>,
): Promise<readonly PricedCall[]> {
  const calls: PricedCall[] = [];
  for (const record of records) {
    const { runtime, usage, at, cacheLife } = record;
    calls.push({ ...record, cost: await catalogue.cost(runtime, usage, at, cacheLife) });
  }
  return calls;
}

/** Adds calls up. Pure. */
export function sumUp(calls: readonly PricedCall[]): UsageSum {
  const total = (count: (call: PricedCall) => number): number => calls.reduce((sum, call) => sum + count(call), 0);
  return {
    calls: calls.length,
    fresh: total(({ usage }) => usage.fresh),
    cacheRead: total(({ usage }) => usage.cacheRead),
    cacheWrite: total(({ usage }) => usage.cacheWrite),
    output: total(({ usage }) => usage.output),
    reasoning: total(({ usage }) => usage.reasoning),
    knownCost: total(({ cost }) => cost ?? 0),
    unpriced: calls.filter(({ cost }) => cost === undefined).map(({ runtime }) => runtime),
  };
}

/** The calls by what the function names them for, in the order in which the names first come. Pure. */
export function groupCalls(
  calls: readonly PricedCall[],
  nameOf: (call: PricedCall) => string,
): ReadonlyMap<string, UsageSum> {
  const groups = Map.groupBy(calls, nameOf);
  return new Map(Array.from(groups, ([name, group]) => [name, sumUp(group)]));
}

/** The day of a time, in the machine's own time zone: that is when its people's days begin. Pure. */
export function dayOf(at: number): string {
  const date = new Date(at);
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'));
  return `${date.getFullYear()}-${month}-${day}`;
}

/** The beginning of the day that lies so many days before the time. Pure. */
export function startOfDay(at: number, daysBefore = 0): number {
  const date = new Date(at);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - daysBefore).getTime();
}

const thousand = 1000;
const million = 1_000_000;

/** Counts of tokens as people read them: 950, 12.3k, 1.2M. Pure. */
export function formatTokens(count: number): string {
  if (count < thousand) return String(count);
  // What would round up to a thousand thousands is a million.
  return count < million - 50 ? `${(count / thousand).toFixed(1)}k` : `${(count / million).toFixed(1)}M`;
}

/** How many tokens a model was given to read. */
export function promptOf({ fresh, cacheRead, cacheWrite }: Usage): number {
  return fresh + cacheRead + cacheWrite;
}

/** The share of what was read that came from the server's cache: "86 %", or "–" where nothing was read. Pure. */
export function formatCacheShare(usage: Usage): string {
  const prompt = promptOf(usage);
  // Rounded down, so that 100 % means all of it.
  return prompt === 0 ? '–' : `${Math.floor((usage.cacheRead / prompt) * 100)} %`;
}

/** What a row cost: one call without a price makes all of it unknown. Pure. */
export function formatRowCost({ knownCost, unpriced }: UsageSum): string {
  return unpriced.length > 0 ? 'unknown' : formatUsd(knownCost);
}

/** What everything cost: at least so much, and how many calls are not in it. Pure. */
export function formatTotalCost(sum: UsageSum): string {
  const { knownCost, unpriced, calls } = sum;
  if (unpriced.length === 0 || unpriced.length === calls) return formatRowCost(sum);
  return `≥ ${formatUsd(knownCost)} (${countCalls(unpriced.length)} of unknown price)`;
}

export function countCalls(count: number): string {
  return count === 1 ? '1 call' : `${count} calls`;
}

/** What can be done about calls without a price; undefined where there are none. Pure. */
export function adviseOnPrices({ unpriced }: UsageSum): string | undefined {
  const names = [...new Set(unpriced)];
  if (names.length === 0) return undefined;
  // What stands at an address of the user's own is in no list of prices.
  const isListable = names.some((name) => !name.startsWith('custom:'));
  const refresh = isListable ? ', or see whether `talaria model refresh` finds them' : '';
  return `What ${names.join(', ')} cost is not known: name every price under \`prices\` in the settings${refresh}.`;
}

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
  /** The models of those whose price is not known, one for each call. */
  readonly unpriced: readonly RuntimeName[];
  /** How many more calls nobody counted the tokens of: they were stopped or broke off. No price would help. */
  readonly uncounted: number;
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
  const [uncounted, unpriced] = partition(calls.filter(({ cost }) => cost === undefined));
  const total = (count: (call: PricedCall) => number): number => calls.reduce((sum, call) => sum + count(call), 0);
  return {
    calls: calls.length,
    fresh: total(({ usage }) => usage.fresh),
    cacheRead: total(({ usage }) => usage.cacheRead),
    cacheWrite: total(({ usage }) => usage.cacheWrite),
    output: total(({ usage }) => usage.output),
    reasoning: total(({ usage }) => usage.reasoning),
    knownCost: total(({ cost }) => cost ?? 0),
    unpriced: unpriced.map(({ runtime }) => runtime),
    uncounted: uncounted.length,
  };
}

function partition(calls: readonly PricedCall[]): readonly [readonly PricedCall[], readonly PricedCall[]] {
  const isUncounted = ({ usage }: PricedCall): boolean => promptOf(usage) + usage.output === 0;
  return [calls.filter(isUncounted), calls.filter((call) => !isUncounted(call))];
}

/** How many of the calls have a cost that is not known, for whichever reason. Pure. */
export function countUnknown({ unpriced, uncounted }: UsageSum): number {
  return unpriced.length + uncounted;
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
export function formatRowCost(sum: UsageSum): string {
  return countUnknown(sum) > 0 ? 'unknown' : formatUsd(sum.knownCost);
}

/** What everything cost: at least so much, and how many calls are not in it. Pure. */
export function formatTotalCost(sum: UsageSum): string {
  const unknown = countUnknown(sum);
  if (unknown === 0 || unknown === sum.calls) return formatRowCost(sum);
  return `≥ ${formatUsd(sum.knownCost)} (${countCalls(unknown)} of unknown cost)`;
}

export function countCalls(count: number): string {
  return count === 1 ? '1 call' : `${count} calls`;
}

/** Why costs are unknown, and what can be done about it; undefined where all are known. Pure. */
export function adviseOnCosts(sum: Pick<UsageSum, 'unpriced' | 'uncounted'>): string | undefined {
  const advice = [adviseOnPrices(sum.unpriced), explainUncounted(sum.uncounted)].filter((text) => text !== undefined);
  return advice.length === 0 ? undefined : advice.join(' ');
}

function explainUncounted(count: number): string | undefined {
  if (count === 0) return undefined;
  return `${countCalls(count)} ended without the server's count: stopped, broken off, or not counted there.`;
}

function adviseOnPrices(unpriced: readonly RuntimeName[]): string | undefined {
  const names = [...new Set(unpriced)];
  if (names.length === 0) return undefined;
  // What stands at an address of the user's own is in no list of prices.
  const isListable = names.some((name) => !name.startsWith('custom:'));
  const refresh = isListable ? ', or see whether `talaria model refresh` finds them' : '';
  return `What ${names.join(', ')} cost is not known: name every price under \`prices\` in the settings${refresh}.`;
}

import { isJsonObject } from '../base/json.ts';
import type { Json } from '../base/json.ts';
import type { MicroUsd } from '../model/money.ts';
import type { Usage } from '../model/provider.ts';
import type { CacheLife } from '../model/runtime.ts';

/** US dollars for a million tokens; a longer prompt may have another price, and then all of its tokens have it. */
export interface Rate {
  readonly price: number;
  readonly tiers: readonly { readonly start: number; readonly price: number }[];
}

export interface Rates {
  readonly input: Rate | undefined;
  readonly cacheRead: Rate | undefined;
  readonly cacheWrite: Rate | undefined;
  readonly output: Rate | undefined;
}

const dayMs = 24 * 60 * 60 * 1000;

/**
 * What the tokens of a model cost at a time, where what it writes to its cache is kept for so long. Undefined where the
 * data has a form that is not understood, where nothing was listed for that time, or where a call also costs something
 * that a count of tokens cannot tell. Pure.
 */
export function ratesAt(prices: Json | undefined, at: number, cacheLife: CacheLife): Rates | undefined {
  const listed = Array.isArray(prices) ? choosePrices(prices as readonly Json[], at) : prices;
  if (!isJsonObject(listed) || 'requests_kcount' in listed) return undefined;
  const input = readRate(listed['input_mtok']);
  return {
    input,
    cacheRead: readRate(listed['cache_read_mtok']),
    cacheWrite:
      cacheLife === '1h'
        ? (readRate(listed['cache_write_1h_mtok']) ?? twice(input))
        : readRate(listed['cache_write_mtok']),
    output: readRate(listed['output_mtok']),
  };
}

/** What is kept for an hour is a Claude's, and costs twice the input by Anthropic's pricing, whoever sells it. */
function twice(rate: Rate | undefined): Rate | undefined {
  return rate && { price: rate.price * 2, tiers: rate.tiers.map(({ start, price }) => ({ start, price: price * 2 })) };
}

/** What a call cost, rounded up. A missing price that it needs, or tokens that nobody counted, make it unknown. Pure. */
export function costAt(rates: Rates, usage: Usage): MicroUsd | undefined {
  const prompt = usage.fresh + usage.cacheRead + usage.cacheWrite;
  if (prompt + usage.output === 0) return undefined;
  let cost = 0;
  for (const [tokens, rate] of [
    [usage.fresh, rates.input],
    [usage.cacheRead, rates.cacheRead],
    [usage.cacheWrite, rates.cacheWrite],
    [usage.output, rates.output],
  ] as const) {
    if (tokens === 0) continue;
    if (rate === undefined) return undefined;
    // Dollars for a million tokens are millionths of a dollar for one.
    cost += tokens * priceFor(rate, prompt);
  }
  // The fraction that binary numbers add to decimal prices does not count.
  return Math.max(0, Math.ceil(cost - 1e-6));
}

function priceFor({ price, tiers }: Rate, promptTokens: number): number {
  const reached = tiers.filter((tier) => promptTokens > tier.start);
  return reached.toSorted((left, right) => right.start - left.start)[0]?.price ?? price;
}

/** Later entries count before earlier ones; the last one that applies at the time is the price. */
function choosePrices(dated: readonly Json[], at: number): Json | undefined {
  for (const entry of dated.toReversed()) {
    if (!isJsonObject(entry)) return undefined;
    const answer = entry['constraint'] === undefined ? 'applies' : holds(entry['constraint'], at);
    if (answer === 'applies') return entry['prices'];
    if (answer === 'unclear') return undefined;
  }
  return undefined;
}

function holds(constraint: Json, at: number): 'applies' | 'does-not' | 'unclear' {
  if (!isJsonObject(constraint)) return 'unclear';
  const { start_date: startDate, start_time: startTime, end_time: endTime } = constraint;
  if (typeof startDate === 'string') return decide(Date.parse(startDate), (start) => at >= start);
  const now = at % dayMs;
  return decide(timeOfDay(startTime), (start) => {
    const end = timeOfDay(endTime);
    return start <= end ? now >= start && now < end : now >= start || now < end;
  });
}

function decide(start: number, applies: (start: number) => boolean): 'applies' | 'does-not' | 'unclear' {
  if (Number.isNaN(start)) return 'unclear';
  return applies(start) ? 'applies' : 'does-not';
}

/** `16:30:00Z`, or with another offset, as milliseconds of the day in UTC. */
function timeOfDay(time: Json | undefined): number {
  return typeof time === 'string' ? (Date.parse(`1970-01-02T${time}`) + dayMs) % dayMs : Number.NaN;
}

function readRate(value: Json | undefined): Rate | undefined {
  if (isPrice(value)) return { price: value, tiers: [] };
  if (!isJsonObject(value) || !isPrice(value['base']) || !Array.isArray(value['tiers'])) return undefined;
  const tiers = (value['tiers'] as readonly Json[]).map(readTier);
  return tiers.includes(undefined)
    ? undefined
    : { price: value['base'], tiers: tiers.filter((tier) => tier !== undefined) };
}

function readTier(tier: Json): Rate['tiers'][number] | undefined {
  if (!isJsonObject(tier) || !isPrice(tier['price']) || !isPrice(tier['start'])) return undefined;
  return { start: tier['start'], price: tier['price'] };
}

function isPrice(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

import type { Catalogue } from '../model/catalogue.ts';
import type { MicroUsd } from '../model/money.ts';
import { noUsage } from '../model/provider.ts';
import type { Usage } from '../model/provider.ts';
import type { CacheLife, RuntimeName } from '../model/runtime.ts';

/** A call that was made. */
export interface MadeCall {
  readonly runtime: RuntimeName;
  readonly usage: Usage;
  readonly cacheLife: CacheLife;
}

const readings = ['fresh', 'cacheRead', 'cacheWrite'] as const;

/**
 * What a call counts as in the limits. Reports say that a cost is unknown where one price is missing; a limit has to count
 * something, so that what has no price of its own is counted at the dearest price for reading that is known.
 */
export async function limitCost(
  call: MadeCall,
  catalogue: Pick<Catalogue, 'cost'>,
  now: number,
): Promise<MicroUsd | undefined> {
  const price = (usage: Usage): Promise<MicroUsd | undefined> =>
    catalogue.cost(call.runtime, usage, now, call.cacheLife);
  const exact = await price(call.usage);
  if (exact !== undefined) return exact;
  const prices = await Promise.all(readings.map((reading) => price({ ...noUsage, [reading]: 1 })));
  const priced = readings.filter((_, index) => prices[index] !== undefined);
  const missing = readings.filter((_, index) => prices[index] === undefined);
  const tokens = missing.reduce((sum, reading) => sum + call.usage[reading], 0);
  const known = { ...call.usage, ...Object.fromEntries(missing.map((reading) => [reading, 0])) };
  const costs = await Promise.all(priced.map((reading) => price({ ...known, [reading]: known[reading] + tokens })));
  return costs.reduce((most, cost) => (cost === undefined || cost <= (most ?? -1) ? most : cost), undefined);
}

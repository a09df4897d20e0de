import type { Catalogue, ListedPrice } from '../model/catalogue.ts';
import { microUsdPerUsd } from '../model/money.ts';
import type { MicroUsd } from '../model/money.ts';
import type { Runtime, RuntimeChain, RuntimeName } from '../model/runtime.ts';

/** What is known about a model without asking it. */
export interface ModelFacts {
  readonly name: RuntimeName;
  /** How many tokens it reads at once. */
  readonly window: number | undefined;
  readonly price: ListedPrice | undefined;
}

/** What the settings or the server say about the window counts before what is usual. */
export async function lookUpFacts(
  { name, window }: Pick<Runtime, 'name' | 'window'>,
  catalogue: Catalogue,
  now: number,
): Promise<ModelFacts> {
  return { name, window: window ?? (await catalogue.window(name)), price: await catalogue.price(name, now) };
}

/** Price and window in one line; what nobody knows is said to be unknown. Pure. */
export function describeFacts({ window, price }: ModelFacts): string {
  const reads = window === undefined ? 'window unknown' : `reads ${window.toLocaleString('en-US')} tokens`;
  return `${describePrice(price)} · ${reads}`;
}

function describePrice(price: ListedPrice | undefined): string {
  if (price?.input === undefined || price.output === undefined) return 'price unknown';
  if (price.input === 0 && price.output === 0) return 'free';
  return `${perMillion(price.input)} in, ${perMillion(price.output)} out per million tokens`;
}

/** As price lists have it: $3, $0.25, $0.075. */
function perMillion(amount: MicroUsd): string {
  const usd = amount / microUsdPerUsd;
  const digits = Number.isInteger(usd) ? 0 : Number.isInteger(Math.round(usd * 1e6) / 1e4) ? 2 : 4;
  return `$${usd.toFixed(digits)}`;
}

/** The runtimes of a chain as people count them: one that has several keys is one. Pure. */
export function distinctRuntimes(chain: RuntimeChain): readonly Runtime[] {
  return chain.filter((runtime, index) => chain.findIndex((other) => isAtSamePlace(other, runtime)) === index);
}

function isAtSamePlace(left: Runtime, right: Runtime): boolean {
  return left.name === right.name && left.baseUrl === right.baseUrl;
}

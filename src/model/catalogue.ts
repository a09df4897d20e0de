import type { MicroUsd } from './money.ts';
import type { Usage } from './provider.ts';
import type { CacheLife, RuntimeName } from './runtime.ts';

/** What a million tokens cost; undefined where a price is not known, which is not the same as nothing. */
export interface ListedPrice {
  readonly input: MicroUsd | undefined;
  readonly cacheRead: MicroUsd | undefined;
  readonly cacheWrite: MicroUsd | undefined;
  readonly output: MicroUsd | undefined;
}

/** What is known about models without asking them. Loaded when first asked, since the data is large. */
export interface Catalogue {
  /** How many tokens the model reads at once; undefined where nobody knows. */
  window(runtime: RuntimeName): Promise<number | undefined>;
  /**
   * What a call cost at that time, where the server was told to keep what it wrote for so long; left out, as the settings
   * have it now. Undefined where even one price that it needs is missing: unknown is never low.
   */
  cost(runtime: RuntimeName, usage: Usage, at: number, cacheLife?: CacheLife): Promise<MicroUsd | undefined>;
  /** The list price at that time, for people; a price that rises with the length of the prompt is given at its lowest. */
  price(runtime: RuntimeName, at: number): Promise<ListedPrice | undefined>;
}

import type { Catalogue, ListedPrice } from '../model/catalogue.ts';
import type { PriceSettings } from '../model/config.ts';
import { microUsdPerUsd } from '../model/money.ts';
import type { MicroUsd } from '../model/money.ts';
import type { CacheLife, RuntimeName } from '../model/runtime.ts';
import { loadPriceData } from './catalogue-data.ts';
import type { PriceData } from './catalogue-data.ts';
import { findListing, isListed } from './catalogue-match.ts';
import type { Listing } from './catalogue-match.ts';
import { costAt, ratesAt } from './catalogue-rates.ts';
import type { Rate, Rates } from './catalogue-rates.ts';
import { findVendor } from './vendors.ts';

export interface CatalogueOptions {
  /** What the user knows about prices, by `provider:model`. It counts as a whole: nothing is added from elsewhere. */
  readonly prices: Readonly<Record<string, PriceSettings>>;
  /** How long servers are told to keep what they read: where the longer time has a price of its own, that one counts. */
  readonly cacheLife: CacheLife;
  /** Where data that was fetched by hand is kept. */
  readonly folder: string;
  /** Told what is wrong with that data; what came with the program is then used. */
  readonly warn: (problem: string) => void;
}

const noRates: Rates = { input: undefined, cacheRead: undefined, cacheWrite: undefined, output: undefined };

/** Prices and windows from the data package, from what was fetched since, and from the settings. */
export function openCatalogue(options: CatalogueOptions): Catalogue {
  let loading: Promise<PriceData> | undefined;

  // Thousands of past calls are of a few models.
  const listings = new Map<RuntimeName, Listing | undefined>();

  const find = async (runtime: RuntimeName): Promise<Listing | undefined> => {
    if (listings.has(runtime)) return listings.get(runtime);
    const { vendor, model } = splitName(runtime);
    if (!isListed(vendor)) return undefined;
    loading ??= loadPriceData(options.folder, options.warn).catch((problem: unknown) => {
      loading = undefined; // What could not be read now may be readable later.
      throw problem;
    });
    const listing = findListing(await loading, vendor, model);
    listings.set(runtime, listing);
    return listing;
  };

  const rates = async (
    runtime: RuntimeName,
    at: number,
    cacheLife: CacheLife = options.cacheLife,
  ): Promise<Rates | undefined> => {
    const own = options.prices[runtime];
    if (own !== undefined) return ratesOfSettings(own);
    const listing = await find(runtime);
    return listing && ratesAt(listing.prices, at, isToldLife(splitName(runtime)) ? cacheLife : '5m');
  };

  return {
    async window(runtime) {
      return (await find(runtime))?.window;
    },

    async cost(runtime, usage, at, cacheLife) {
      if (isFree(splitName(runtime)) && options.prices[runtime] === undefined) return 0;
      return costAt((await rates(runtime, at, cacheLife)) ?? noRates, usage);
    },

    async price(runtime, at) {
      if (isFree(splitName(runtime)) && options.prices[runtime] === undefined) return free;
      const found = await rates(runtime, at);
      return found && listed(found);
    },
  };
}

interface NamedModel {
  readonly vendor: string;
  readonly model: string;
}

/** The vendor ends at the first colon; a model's own name may have more of them. */
function splitName(runtime: RuntimeName): NamedModel {
  const colon = runtime.indexOf(':');
  return { vendor: runtime.slice(0, colon), model: runtime.slice(colon + 1) };
}

const free: ListedPrice = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

/** What runs on the user's own machine has no price for its tokens, and the demo has none at all. */
function isFree({ vendor }: NamedModel): boolean {
  return vendor === 'demo' || findVendor(vendor)?.place === 'local';
}

/** Who is sent no markers keeps what it reads for as long as it likes, whatever the settings say. */
function isToldLife({ vendor, model }: NamedModel): boolean {
  const seller = findVendor(vendor);
  return seller?.apiMode === 'anthropic_messages' || (seller?.dialect.markedModels?.test(model) ?? false);
}

function ratesOfSettings({ input, output, cacheRead, cacheWrite }: PriceSettings): Rates {
  return { input: flat(input), output: flat(output), cacheRead: flat(cacheRead), cacheWrite: flat(cacheWrite) };
}

function flat(price: number | undefined): Rate | undefined {
  return price === undefined ? undefined : { price, tiers: [] };
}

function listed({ input, cacheRead, cacheWrite, output }: Rates): ListedPrice {
  return {
    input: lowest(input),
    cacheRead: lowest(cacheRead),
    cacheWrite: lowest(cacheWrite),
    output: lowest(output),
  };
}

function lowest(rate: Rate | undefined): MicroUsd | undefined {
  return rate && Math.round(Math.min(rate.price, ...rate.tiers.map(({ price }) => price)) * microUsdPerUsd);
}

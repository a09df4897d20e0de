import type { Catalogue } from '../model/catalogue.ts';
import type { CatalogueOptions } from './catalogue-lookup.ts';

/** What is known about models. Nothing is loaded before the first question: many a start never has one. */
export function createCatalogue(options: CatalogueOptions): Catalogue {
  let opening: Promise<Catalogue> | undefined;
  const open = (): Promise<Catalogue> => {
    opening ??= import('./catalogue-lookup.ts').then(
      ({ openCatalogue }) => openCatalogue(options),
      (problem: unknown) => {
        opening = undefined; // What could not be read now may be readable later.
        throw problem;
      },
    );
    return opening;
  };
  return {
    window: async (runtime) => await (await open()).window(runtime),
    cost: async (runtime, usage, at, cacheLife) => await (await open()).cost(runtime, usage, at, cacheLife),
    price: async (runtime, at) => await (await open()).price(runtime, at),
  };
}

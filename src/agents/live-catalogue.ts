import type { Catalogue } from '../model/catalogue.ts';
import type { Config } from '../model/config.ts';
import type { Settings } from '../model/settings.ts';

/** What is known about models, with the prices that the settings name now. It is opened anew only where those changed. */
export function openLiveCatalogue(settings: Pick<Settings, 'current'>, open: (config: Config) => Catalogue): Catalogue {
  let seen = settings.current.config;
  let catalogue = open(seen);
  const now = (): Catalogue => {
    const { config } = settings.current;
    if (config !== seen && decisive(config) !== decisive(seen)) catalogue = open(config);
    seen = config;
    return catalogue;
  };
  return {
    window: (runtime) => now().window(runtime),
    cost: (runtime, usage, at, cacheLife) => now().cost(runtime, usage, at, cacheLife),
    price: (runtime, at) => now().price(runtime, at),
  };
}

function decisive({ prices, model }: Config): string {
  return JSON.stringify([prices, model.cacheLife]);
}

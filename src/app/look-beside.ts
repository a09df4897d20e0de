import type { Clock } from '../base/clock.ts';
import type { AppError } from '../base/errors.ts';
import type { App } from '../cli/app-port.ts';
import type { HomeFolder } from '../store/home/home-folder.ts';
import { LiveSettings } from '../store/home/live-settings.ts';
import { openBeside } from '../store/sqlite/open-beside.ts';
import { openCatalogue } from './model-desk.ts';

/** What is kept in a home that another process holds, to be read and nothing else: the rest is refused as it would be anyway. */
export async function lookBeside(refusal: AppError, home: HomeFolder, clock: Clock): Promise<App> {
  const { config, warnings } = (await LiveSettings.open(home)).current;
  const store = openBeside(home.state, clock, refusal);
  return {
    store,
    catalogue: openCatalogue(config, home, () => undefined),
    warnings,
    leftTurns: 'wait',
    unfinishedIn: () => Promise.resolve('elsewhere'),
    serveTerminal: () => Promise.reject(refusal),
    endTask: () => Promise.reject(refusal),
    [Symbol.asyncDispose]() {
      store.close();
      return Promise.resolve();
    },
  };
}

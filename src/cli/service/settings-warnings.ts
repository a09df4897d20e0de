import { isAppError } from '../../base/errors.ts';
import type { CliDeps } from '../app-port.ts';

/** What is wrong with the settings as the file has them now, each with its line and column. A gateway that runs may not have looked yet. */
export async function settingsWarnings({ readSettings }: Pick<CliDeps, 'readSettings'>): Promise<readonly string[]> {
  try {
    return (await readSettings()).warnings;
  } catch (thrown) {
    if (isAppError(thrown, 'bad-config')) return thrown.message.split('\n');
    throw thrown;
  }
}

import { isAppError } from '../../base/errors.ts';
import type { GatewayStatus } from '../../gateway/gateway-status.ts';
import type { CliDeps } from '../app-port.ts';

const safely = 'the gateway that runs is in a safe start, and does not go by the file';

/**
 * What is wrong with the settings as the file has them now, each with its line and column. A gateway that runs may not have
 * looked yet; one in a safe start never does, and goes by others than those that would stand in for a broken file.
 */
export async function settingsWarnings(
  { readSettings }: Pick<CliDeps, 'readSettings'>,
  start: GatewayStatus['start'] = 'usual',
): Promise<readonly string[]> {
  try {
    const { warnings, source } = await readSettings();
    return start === 'safe' && source === 'last-good' ? [...warnings.slice(0, -1), safely] : warnings;
  } catch (thrown) {
    if (isAppError(thrown, 'bad-config')) return thrown.message.split('\n');
    throw thrown;
  }
}

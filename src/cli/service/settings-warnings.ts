import { isAppError } from '../../base/errors.ts';
import type { GatewayStatus } from '../../gateway/gateway-status.ts';
import type { CliDeps } from '../app-port.ts';

type Start = GatewayStatus['start'];

/** What counts beside a gateway in a safe start, whatever is done about the file. */
export const safeStartNote =
  'the gateway that runs is in a safe start, and does not go by the file before a restart without --safe';

/**
 * What is wrong with the settings as the file has them now, each with its line and column. A gateway that runs may not have
 * looked yet; one in a safe start, which is asked about only for a broken file, never does, and goes by others than those that
 * would stand in for it.
 */
export async function settingsWarnings(
  { readSettings }: Pick<CliDeps, 'readSettings'>,
  findStart: () => Start | Promise<Start>,
): Promise<readonly string[]> {
  try {
    const { warnings, source } = await readSettings();
    const isPassedOver = source === 'last-good' && (await findStart()) === 'safe';
    return isPassedOver ? [...warnings.slice(0, -1), safeStartNote] : warnings;
  } catch (thrown) {
    if (isAppError(thrown, 'bad-config')) return thrown.message.split('\n');
    throw thrown;
  }
}

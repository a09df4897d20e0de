import type { Keeper } from '../../gateway/gateway-status.ts';

/** Who started this process and brings it back: the service files and `gateway start` say so. Pure. */
export function readKeeper(env: Readonly<Record<string, string | undefined>>): Keeper {
  const keeper = env['TALARIA_KEEPER'];
  return keeper === 'systemd' || keeper === 'launchd' || keeper === 'background' ? keeper : 'nobody';
}

/** How long its manager lets turns end before it kills: what `install` wrote down, however the settings have changed since. Pure. */
export function readLongestDrainMs(env: Readonly<Record<string, string | undefined>>): number {
  const seconds = Number(env['TALARIA_LONGEST_DRAIN'] || Number.NaN);
  return Number.isNaN(seconds) ? Infinity : seconds * 1000;
}

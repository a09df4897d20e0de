import type { Keeper } from '../../gateway/gateway-status.ts';

/** Who started this process and brings it back: the service files and `gateway start` say so. Pure. */
export function readKeeper(env: Readonly<Record<string, string | undefined>>): Keeper {
  const keeper = env['TALARIA_KEEPER'];
  return keeper === 'systemd' || keeper === 'launchd' || keeper === 'background' ? keeper : 'nobody';
}

import type { LookupAddress, LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { describePrivate } from './judge-url.ts';
import type { ExceptionSetting } from './judge-url.ts';
import { isAllowedAddress } from './private-exceptions.ts';
import type { PrivateException } from './private-exceptions.ts';

/** All addresses of a name. Rejects where there is none. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** A host that may not be connected to. The message says why. */
export class BarredHost extends Error {
  override readonly name = 'BarredHost';
}

/**
 * Looks a name up for a connection that is being made: the addresses that were checked are those that are connected to,
 * so that a name cannot mean another one a moment later. One address that is not allowed bars all of them.
 */
export function guardLookup(resolve: Resolve, exceptions: readonly PrivateException[]): LookupFunction {
  return (hostname, options, callback) => {
    callbackify(() => checkHost(hostname, resolve, exceptions))((error, addresses) => {
      if (error === null) answerLookup(addresses, options, callback);
      else callback(error, []);
    });
  };
}

/** The addresses of a host. Throws `BarredHost` where one of them is not allowed. */
export async function checkHost(
  hostname: string,
  resolve: Resolve,
  exceptions: readonly PrivateException[],
  setting: ExceptionSetting = 'search.allow_private',
): Promise<readonly LookupAddress[]> {
  const addresses = await resolve(hostname);
  if (addresses.every(({ address }) => isAllowedAddress(address, hostname, exceptions))) return addresses;
  throw new BarredHost(describePrivate(hostname, setting));
}

function answerLookup(
  addresses: readonly LookupAddress[],
  { all }: LookupOptions,
  callback: Parameters<LookupFunction>[2],
): void {
  const [first] = addresses;
  if (all === true) callback(null, [...addresses]);
  else callback(null, first?.address ?? '', first?.family ?? 0);
}

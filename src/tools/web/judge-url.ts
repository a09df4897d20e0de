import { isIP } from 'node:net';
import { classifyAddress } from './classify-address.ts';
import { isMetadataName, isPrivateName } from './private-names.ts';
import { exceptionsAt, isAllowedAddress, isExceptedName, plainName, withoutBrackets } from './private-exceptions.ts';
import type { PrivateException } from './private-exceptions.ts';

export type UrlVerdict =
  | { readonly type: 'fit'; readonly url: URL }
  /** It leads nowhere, or not by HTTP. */
  | { readonly type: 'unfit'; readonly reason: string }
  /** It leads where nothing may be fetched from. */
  | { readonly type: 'barred'; readonly reason: string };

/** The setting that makes exceptions; whoever is refused something is told its name. */
export type ExceptionSetting = 'search.allow_private' | 'browser.allow_private';

const longestUrl = 8000;

/**
 * Whether an address may be asked for, as far as it says itself where it leads. What its name stands for is checked when
 * the connection is made. Pure.
 */
export function judgeUrl(
  text: string,
  exceptions: readonly PrivateException[],
  setting: ExceptionSetting = 'search.allow_private',
): UrlVerdict {
  const written = text.trim();
  if (written.length > longestUrl) return unfit('the address is too long');
  // The parser would leave these out, or read them as slashes: whoever writes them wants to be read in two ways.
  if (/[\p{Cc}\\]/u.test(written)) return unfit('there is a character in the address that does not belong into one');
  if (!URL.canParse(written)) return unfit('that is no address: write it whole, beginning with https://');
  const url = new URL(written);
  if (!/^https?:$/.test(url.protocol)) return unfit(`only http:// and https:// are possible, not ${url.protocol}`);
  if (url.username !== '' || url.password !== '') return unfit('a user or a password in the address is not allowed');
  const objection = findObjection({ hostname: url.hostname, port: portOf(url) }, exceptions, setting);
  return objection === undefined ? { type: 'fit', url } : { type: 'barred', reason: objection };
}

/** Why a place is not connected to, as far as it says itself where it leads; undefined where it may be. Pure. */
export function findObjection(
  { hostname, port }: { readonly hostname: string; readonly port: number },
  exceptions: readonly PrivateException[],
  setting: ExceptionSetting,
): string | undefined {
  const ofPort = exceptionsAt(exceptions, port);
  const isNamedPort = ofPort.some((exception) => exception.port === port);
  if (isBadPort(port) && !isNamedPort) return `port ${port} is not one for web pages`;
  return isReachable(hostname, ofPort) ? undefined : describePrivate(hostname, setting);
}

/** Why a host is not connected to, and who can change that. */
export function describePrivate(hostname: string, setting: ExceptionSetting): string {
  const handsOutCredentials =
    isMetadataName(plainName(hostname)) || classifyAddress(withoutBrackets(hostname)) === 'metadata';
  if (handsOutCredentials) return `${hostname} hands out the credentials of this machine, and is never asked`;
  return `${hostname} is not on the public internet, and ${setting} in the settings does not name it`;
}

export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

function isReachable(host: string, exceptions: readonly PrivateException[]): boolean {
  const address = withoutBrackets(host);
  if (isIP(address) !== 0) return isAllowedAddress(address, host, exceptions);
  const name = plainName(host);
  return !isMetadataName(name) && (!isPrivateName(name) || isExceptedName(name, exceptions));
}

// Those above 1023 that the fetch standard closes: other services answer there, and could take a request for theirs.
const badPorts: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080,
]);

function isBadPort(port: number): boolean {
  return (port < 1024 && port !== 80 && port !== 443) || badPorts.has(port);
}

function unfit(reason: string): UrlVerdict {
  return { type: 'unfit', reason };
}

import { isIP } from 'node:net';
import { isMetadataName, isPrivateName } from './private-names.ts';
import { exceptionsAt, isAllowedAddress, isExceptedName, plainName, withoutBrackets } from './private-exceptions.ts';
import type { PrivateException } from './private-exceptions.ts';

export type UrlVerdict =
  | { readonly type: 'fit'; readonly url: URL }
  /** It leads nowhere, or not by HTTP. */
  | { readonly type: 'unfit'; readonly reason: string }
  /** It leads where nothing may be fetched from. */
  | { readonly type: 'barred'; readonly reason: string };

const longestUrl = 8000;

/**
 * Whether an address may be fetched, as far as it says itself where it leads. What its name stands for is checked when
 * the connection is made. Pure.
 */
export function judgeUrl(text: string, exceptions: readonly PrivateException[]): UrlVerdict {
  const written = text.trim();
  if (written.length > longestUrl) return unfit('the address is too long');
  // The parser would leave these out, or read them as slashes: whoever writes them wants to be read in two ways.
  if (/[\p{Cc}\\]/u.test(written)) return unfit('there is a character in the address that does not belong into one');
  if (!URL.canParse(written)) return unfit('that is no address: write it whole, beginning with https://');
  const url = new URL(written);
  if (!/^https?:$/.test(url.protocol)) return unfit(`only http:// and https:// can be fetched, not ${url.protocol}`);
  if (url.username !== '' || url.password !== '') return unfit('an address with a user or a password is not fetched');
  const port = portOf(url);
  const ofPort = exceptionsAt(exceptions, port);
  const isNamedPort = ofPort.some((exception) => exception.port === port);
  if (isBadPort(port) && !isNamedPort) return barred(`port ${port} is not one for web pages`);
  return isReachable(url.hostname, ofPort) ? { type: 'fit', url } : barred(describePrivate(url.hostname));
}

/** Why a host is not connected to, and who can change that. */
export function describePrivate(hostname: string): string {
  return `${hostname} is not on the public internet, and search.allow_private in the settings does not name it`;
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

function barred(reason: string): UrlVerdict {
  return { type: 'barred', reason };
}

import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { classifyAddress } from '../web/classify-address.ts';
import { plainName, withoutBrackets } from '../web/private-exceptions.ts';
import { isMetadataName, isPrivateName } from '../web/private-names.ts';

/** Where a browser may go. One guard for every hop and everything that a page loads. */
export interface UrlGuard {
  /** Why an address may not be opened, as far as it says itself where it leads; undefined where it may. */
  judge(url: string): string | undefined;
  /** The addresses of a host, each of them checked: these are connected to. Throws `BarredHost`. */
  resolve(host: string, port: number): Promise<readonly LookupAddress[]>;
}

/** A host that may not be connected to. The message says why. */
export class BarredHost extends Error {
  override readonly name = 'BarredHost';
}

export interface UrlGuardOptions {
  /** Hosts that may be reached though they are not public: `nas.local`, `192.168.1.20:8080`. */
  readonly allowPrivate: () => readonly string[];
  readonly resolve: (host: string) => Promise<readonly LookupAddress[]>;
}

const longestUrl = 8000;

/** Lets through what is on the public internet and what the settings name. */
export function createUrlGuard({ allowPrivate, resolve }: UrlGuardOptions): UrlGuard {
  const refuse = (host: string, port: number, addresses: readonly string[]): string | undefined =>
    findObjection({ host, port, addresses, exceptions: allowPrivate() });
  return {
    judge(text) {
      const read = readUrl(text);
      if (read.type === 'unfit') return read.reason;
      const { host, port } = read;
      return refuse(host, port, isIP(host) === 0 ? [] : [host]);
    },
    async resolve(host, port) {
      const bare = withoutBrackets(host);
      const family = isIP(bare);
      const addresses = family === 0 ? await resolve(bare) : [{ address: bare, family }];
      const objection = refuse(
        bare,
        port,
        addresses.map(({ address }) => address),
      );
      if (objection !== undefined) throw new BarredHost(objection);
      return addresses;
    },
  };
}

type ReadUrl =
  | { readonly type: 'fit'; readonly host: string; readonly port: number }
  | { readonly type: 'unfit'; readonly reason: string };

function readUrl(text: string): ReadUrl {
  if (text.length > longestUrl) return unfit('the address is too long');
  // The parser would leave these out, or read them as slashes: whoever writes them wants to be read in two ways.
  if (/[\p{Cc}\\]/u.test(text)) return unfit('there is a character in the address that does not belong into one');
  if (!URL.canParse(text)) return unfit('that is no address: write it whole, beginning with https://');
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) return unfit(`only http:// and https:// can be opened, not ${url.protocol}`);
  if (url.username !== '' || url.password !== '') return unfit('an address with a user or a password is not opened');
  const usualPort = url.protocol === 'https:' ? 443 : 80;
  return { type: 'fit', host: withoutBrackets(url.hostname), port: url.port === '' ? usualPort : Number(url.port) };
}

interface Destination {
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly string[];
  readonly exceptions: readonly string[];
}

/** Why this host is not connected to, and who can change that. No exception lifts the ban on the metadata of clouds. Pure. */
function findObjection({ host, port, addresses, exceptions }: Destination): string | undefined {
  const name = plainName(host);
  const kinds = new Set(addresses.map(classifyAddress));
  if (kinds.has('metadata') || isMetadataName(name))
    return `${host} hands out the credentials of this machine, and is never opened`;
  const isPublic = isIP(host) !== 0 || !isPrivateName(name);
  if (isPublic && !kinds.has('private')) return undefined;
  const isNamed = exceptions
    .map((place) => plainName(place.trim()))
    .some((place) => place === name || place === withPort(name, port));
  return isNamed
    ? undefined
    : `${host} is not on the public internet, and browser.allow_private in the settings does not name it`;
}

function withPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function unfit(reason: string): ReadUrl {
  return { type: 'unfit', reason };
}

import { isWithin, lastV4, readAddress, readNetwork } from './ip-address.ts';
import type { IpAddress, IpNetwork } from './ip-address.ts';

/** Where an address leads; `metadata` are the services of clouds that hand out credentials to whoever asks. */
export type AddressKind = 'public' | 'private' | 'metadata';

// Link-local as a whole: the services of clouds are there, and nothing that anyone reads.
const metadata = networks(
  '169.254.0.0/16',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
);

// What the registry of special addresses (RFC 6890 and its successors) does not call globally reachable.
const privateV4 = networks(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
);

// Everything in use on the public internet is in here, but for these: Teredo and its neighbours, examples, and 6to4, which
// would carry a request to the IPv4 address inside.
const globalV6 = networks('2000::/3');
const privateV6 = networks('2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20');

// IPv4 in another form: mapped, and translated at the edge of networks that have IPv6 alone.
const carriesV4 = networks('::ffff:0:0/96', '64:ff9b::/96');

/** Where an address leads, whatever its form. What is no address at all counts as private. Pure. */
export function classifyAddress(text: string): AddressKind {
  const read = readAddress(text);
  return read === undefined ? 'private' : classify(read);
}

/** The IPv4 address that is meant, where an IPv6 one only carries it. */
export function unwrapV4(address: IpAddress): IpAddress {
  return isInAny(address, carriesV4) ? lastV4(address) : address;
}

function classify(written: IpAddress): AddressKind {
  const address = unwrapV4(written);
  if (isInAny(address, metadata)) return 'metadata';
  if (address.bits === 32) return isInAny(address, privateV4) ? 'private' : 'public';
  if (!isInAny(address, globalV6) || isInAny(address, privateV6) || isIsatap(address)) return 'private';
  return 'public';
}

/** A tunnel to the IPv4 address in its last bits, behind any prefix (RFC 5214). */
function isIsatap({ value }: IpAddress): boolean {
  const marker = (value >> 32n) & 0xffff_ffffn;
  return marker === 0x0000_5efen || marker === 0x0200_5efen;
}

function isInAny(address: IpAddress, list: readonly IpNetwork[]): boolean {
  return list.some((network) => isWithin(address, network));
}

function networks(...written: readonly string[]): readonly IpNetwork[] {
  return written.flatMap((text) => readNetwork(text) ?? []);
}

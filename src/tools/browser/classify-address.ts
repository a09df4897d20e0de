import { BlockList, isIP } from 'node:net';

/** Where an address leads; `metadata` are the services of clouds that hand out credentials to whoever asks. */
export type AddressKind = 'public' | 'private' | 'metadata';

// Link-local as a whole: the services of clouds are there, and nothing that anyone reads.
const metadata = networks(['169.254.0.0/16', '100.100.100.200/32', '168.63.129.16/32', 'fd00:ec2::254/128']);

// What the registry of special addresses (RFC 6890 and its successors) does not call globally reachable.
const privateV4 = networks([
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
]);

// All of the public internet is in the first; Teredo, examples and 6to4, which carries a request on to an IPv4 address,
// are not meant.
const globalV6 = networks(['2000::/3']);
const privateV6 = networks(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);
const mappedV4 = networks(['::ffff:0:0/96']);

/** Where an address leads, whatever its form. What is no address at all counts as private. Pure. */
export function classifyAddress(text: string): AddressKind {
  const family = isIP(text);
  if (family === 4) return classifyV4(text);
  if (family !== 6) return 'private';
  const address = new URL(`http://[${text.replace(/%.*$/s, '')}]`).hostname.slice(1, -1);
  // Written by the parser as ::ffff:7f00:1.
  if (mappedV4.check(address, 'ipv6')) return classifyV4(lastFourBytes(address));
  if (metadata.check(address, 'ipv6')) return 'metadata';
  return globalV6.check(address, 'ipv6') && !privateV6.check(address, 'ipv6') ? 'public' : 'private';
}

function classifyV4(address: string): AddressKind {
  if (metadata.check(address, 'ipv4')) return 'metadata';
  return privateV4.check(address, 'ipv4') ? 'private' : 'public';
}

function lastFourBytes(address: string): string {
  const [high = 0, low = 0] = address
    .split(':')
    .slice(-2)
    .map((group) => Number.parseInt(group === '' ? '0' : group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function networks(written: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of written) {
    const [address = '', bits = ''] = network.split('/');
    list.addSubnet(address, Number(bits), address.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}

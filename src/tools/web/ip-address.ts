import { isIPv4, isIPv6 } from 'node:net';

/** An address as a number: of 32 bits, or of 128. */
export interface IpAddress {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** All addresses that begin with the same bits. */
export interface IpNetwork {
  readonly bits: 32 | 128;
  readonly prefix: number;
  readonly base: bigint;
}

/** Reads an address in its usual spelling, with or without a zone; undefined where it is none. Pure. */
export function readAddress(text: string): IpAddress | undefined {
  if (isIPv4(text)) return { bits: 32, value: joinNumbers(text.split('.').map(Number), 8) };
  const withoutZone = text.replace(/%.*$/s, '');
  if (!isIPv6(withoutZone)) return undefined;
  return { bits: 128, value: joinNumbers(readGroups(withoutZone), 16) };
}

/** Reads `10.0.0.0/8`, or a single address; undefined where it is neither. Pure. */
export function readNetwork(text: string): IpNetwork | undefined {
  const [address = '', prefix, ...rest] = text.split('/');
  const read = readAddress(address);
  if (read === undefined || rest.length > 0) return undefined;
  const length = prefix === undefined ? read.bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Infinity;
  if (length > read.bits) return undefined;
  return { bits: read.bits, prefix: length, base: read.value };
}

export function isWithin(address: IpAddress, { bits, prefix, base }: IpNetwork): boolean {
  const rest = BigInt(bits - prefix);
  return address.bits === bits && address.value >> rest === base >> rest;
}

/** The IPv4 address in the last 32 bits. */
export function lastV4({ value }: IpAddress): IpAddress {
  return { bits: 32, value: value & 0xffff_ffffn };
}

function joinNumbers(numbers: readonly number[], width: number): bigint {
  return numbers.reduce((value, part) => (value << BigInt(width)) | BigInt(part), 0n);
}

/** The eight groups of an IPv6 address. The URL parser has them all in hexadecimal, an IPv4 ending included. */
function readGroups(text: string): readonly number[] {
  const plain = new URL(`http://[${text}]/`).hostname.slice(1, -1);
  const [head = '', tail] = plain.split('::');
  const before = hexGroups(head);
  if (tail === undefined) return before;
  const after = hexGroups(tail);
  const gap = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return [...before, ...gap, ...after];
}

function hexGroups(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

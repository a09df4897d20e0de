import { classifyAddress, unwrapV4 } from './classify-address.ts';
import { isWithin, readAddress, readNetwork } from './ip-address.ts';
import type { IpNetwork } from './ip-address.ts';

/** A place that may be reached though it is not public: a name, an address or a network, at one port or at the usual ones. */
export interface PrivateException {
  readonly place:
    | { readonly type: 'name'; readonly name: string }
    | { readonly type: 'network'; readonly of: IpNetwork };
  readonly port: number | undefined;
}

/** Reads the settings: `nas.local`, `nas.local:8080`, `192.168.1.20`, `[fd00::1]:8080`, `10.0.0.0/8`. Pure. */
export function readExceptions(written: readonly string[]): readonly PrivateException[] {
  return written.map((text) => {
    const entry = text.trim().toLowerCase();
    const whole = readNetwork(withoutBrackets(entry));
    if (whole !== undefined) return { place: { type: 'network', of: whole }, port: undefined };
    const [, host = entry, port] = /^(.*):(\d{1,5})$/s.exec(entry) ?? [];
    const network = readNetwork(withoutBrackets(host));
    return {
      place: network === undefined ? { type: 'name', name: plainName(host) } : { type: 'network', of: network },
      port: port === undefined ? undefined : Number(port),
    };
  });
}

/** The exceptions that speak of this port; those that name none speak of all. */
export function exceptionsAt(exceptions: readonly PrivateException[], port: number): readonly PrivateException[] {
  return exceptions.filter((exception) => exception.port === undefined || exception.port === port);
}

/** Whether a host is excepted by its name. Where that leads is another question. */
export function isExceptedName(hostname: string, exceptions: readonly PrivateException[]): boolean {
  return exceptions.some(({ place }) => place.type === 'name' && place.name === plainName(hostname));
}

/** Whether an address may be connected to for a host. No exception lifts the ban on the metadata of clouds. */
export function isAllowedAddress(address: string, hostname: string, exceptions: readonly PrivateException[]): boolean {
  const kind = classifyAddress(address);
  if (kind === 'public') return true;
  if (kind === 'metadata') return false;
  return isExceptedName(hostname, exceptions) || isExceptedAddress(address, exceptions);
}

function isExceptedAddress(text: string, exceptions: readonly PrivateException[]): boolean {
  const read = readAddress(text);
  if (read === undefined) return false;
  const address = unwrapV4(read);
  return exceptions.some(({ place }) => place.type === 'network' && isWithin(address, place.of));
}

/** The dot at the end of a name that says that it is whole changes nothing. */
export function plainName(hostname: string): string {
  return hostname.toLowerCase().replace(/\.+$/, '');
}

export function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/s, '$1');
}

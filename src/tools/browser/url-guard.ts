import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { BarredHost, checkHost } from '../web/guarded-lookup.ts';
import type { Resolve } from '../web/guarded-lookup.ts';
import { findObjection, judgeUrl } from '../web/judge-url.ts';
import { exceptionsAt, readExceptions, withoutBrackets } from '../web/private-exceptions.ts';

/** Where a browser may go. One guard for every hop and everything that a page loads. */
export interface UrlGuard {
  /** Why an address may not be opened, as far as it says itself where it leads; undefined where it may. */
  judge(url: string): string | undefined;
  /** The addresses of a host, each of them checked: these are connected to. Throws `BarredHost`. */
  resolve(host: string, port: number): Promise<readonly LookupAddress[]>;
}

export interface UrlGuardOptions {
  /** What may be reached though it is not public, as the settings have it: `nas.local`, `192.168.1.20:8080`, `10.0.0.0/8`. */
  readonly allowPrivate: () => readonly string[];
  readonly resolve: Resolve;
}

const setting = 'browser.allow_private';

/** Lets through what is on the public internet and what the settings name, by the same judgement as fetches. */
export function createUrlGuard({ allowPrivate, resolve }: UrlGuardOptions): UrlGuard {
  return {
    judge(text) {
      const verdict = judgeUrl(text, readExceptions(allowPrivate()), setting);
      return verdict.type === 'fit' ? undefined : verdict.reason;
    },
    async resolve(host, port) {
      const exceptions = readExceptions(allowPrivate());
      const objection = findObjection({ hostname: host, port }, exceptions, setting);
      if (objection !== undefined) throw new BarredHost(objection);
      const address = withoutBrackets(host);
      const family = isIP(address);
      if (family !== 0) return [{ address, family }];
      return await checkHost(host, resolve, exceptionsAt(exceptions, port), setting);
    },
  };
}

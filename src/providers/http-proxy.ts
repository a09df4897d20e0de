/** The value of a variable, from wherever the program has its settings. */
export type Environment = (name: string) => string | undefined;

/** How requests reach a server. */
export type Way =
  | { readonly type: 'direct' }
  | {
      readonly type: 'proxied';
      /** In the terms of `node:http`, which leaves the proxy out for the hosts in `NO_PROXY`. */
      readonly proxyEnv: Readonly<Record<string, string>>;
      /** The setting without its password, for messages. */
      readonly setting: string;
    };

/**
 * The way to an address: past this machine's own, by the proxy that the environment names, in either case of letters.
 * Throws where that cannot be one; no message shows the setting itself, since a password may be in it.
 */
export function decideWay(url: URL, environment: Environment): Way {
  if (isLoopback(url.hostname)) return { type: 'direct' };
  const scheme = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const name = namesOf(scheme, 'all_proxy').find((candidate) => isSet(environment(candidate)));
  if (name === undefined) return { type: 'direct' };
  const proxy = readProxy(name, environment(name) ?? '');
  const exempt = namesOf('no_proxy').map(environment).find(isSet) ?? '';
  return {
    type: 'proxied',
    proxyEnv: { [scheme]: proxy.href, no_proxy: withSubdomains(exempt) },
    setting: `${name} is ${proxy.host}`,
  };
}

/** Lower case first, as everyone else has it. */
function namesOf(...names: readonly string[]): readonly string[] {
  return names.flatMap((name) => [name, name.toUpperCase()]);
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== '';
}

function readProxy(name: string, value: string): URL {
  const text = value.trim();
  // Without a scheme it is the address of a plain proxy, as for curl.
  const address = text.includes('://') ? text : `http://${text}`;
  if (URL.canParse(address)) {
    const url = new URL(address);
    if (/^https?:$/.test(url.protocol)) return url;
  }
  throw new Error(`${name} is not the address of a proxy that can be used: one begins with http:// or https://`);
}

/** An entry also means the names below it: that is how curl reads the list, and `node:http` only if there is a dot. */
function withSubdomains(list: string): string {
  const entries = list.split(/[\s,]+/).filter((entry) => entry !== '');
  return entries.flatMap((entry) => (/^[a-z]/i.test(entry) ? [entry, `.${entry}`] : [entry])).join(',');
}

function isLoopback(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

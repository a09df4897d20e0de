declare const runtimeName: unique symbol;
export type RuntimeName = string & { readonly [runtimeName]: true };

/** The wire protocol of a runtime, by the name that it has in the config. */
export type ApiMode = 'chat_completions' | 'anthropic_messages' | 'codex_responses';

/** How long a server that is told to keeps the beginning of a conversation ready. */
export type CacheLife = '5m' | '1h';

/** Where answers come from: vendor, address, protocol, model and credential. A client is built from it. */
export interface Runtime {
  readonly name: RuntimeName;
  readonly vendor: string;
  readonly model: string;
  readonly baseUrl: string;
  readonly apiMode: ApiMode;
  readonly credential: Credential;
  /** The variable that the key stands in, or the setting it comes by, for people to find it; undefined where there is none. */
  readonly keyName: string | undefined;
  readonly place: 'remote' | 'local' | 'demo';
  /** An aggregator keeps connections to the real servers itself: a fresh one of ours would change nothing. */
  readonly route: 'direct' | 'aggregator';
  /** How many tokens the model reads at once, where the settings or the server say so; else the catalogue is asked. */
  readonly window: number | undefined;
  readonly cacheLife: CacheLife;
}

/** A secret is reached through a function, so that no log line or JSON of a runtime can carry it. */
export type Credential =
  | { readonly type: 'none' }
  | { readonly type: 'key'; readonly reveal: () => string }
  | { readonly type: 'printed'; readonly key: PrintedKey };

/** A key that a command of the settings prints, such as a token that is good for an hour. */
export interface PrintedKey {
  readonly command: string;
  /** The key. The command runs where none is kept; rejects where it prints none. */
  obtain(signal: AbortSignal): Promise<string>;
  /** The key is of no use any more: whoever needs it next has the command run again. */
  discard(): void;
}

/**
 * The runtimes to try in a turn, primary first. A turn begins at the first again, whatever the last turn did. A runtime
 * with several keys stands here once for each of them.
 */
export type RuntimeChain = readonly [Runtime, ...Runtime[]];

/** Whether a runtime may be asked, or rests. */
export type IsAwake = (runtime: Runtime) => boolean;

/**
 * The place of the next runtime that can help where the one at `place` failed, with the first of its keys that is awake;
 * undefined at the end of the chain. What is the same model at the same address would only fail again. Pure.
 */
export function nextPlace(chain: RuntimeChain, place: number, isAwake: IsAwake): number | undefined {
  const failing = chain[place];
  const next = chain.findIndex((candidate, index) => index > place && !(failing && isSameRuntime(candidate, failing)));
  if (next === -1) return undefined;
  return keyPlaces(chain, next).find((key) => isAwakeAt(chain, key, isAwake)) ?? next;
}

/** The place of another key of the same runtime that is awake, those behind it first; undefined where there is none. Pure. */
export function nextKey(chain: RuntimeChain, place: number, isAwake: IsAwake): number | undefined {
  const others = keyPlaces(chain, place).filter((key) => key !== place && isAwakeAt(chain, key, isAwake));
  return others.find((key) => key > place) ?? others[0];
}

/** All places of the runtime at `place`, one for each of its keys. */
export function keyPlaces(chain: RuntimeChain, place: number): readonly number[] {
  const runtime = chain[place];
  if (runtime === undefined) return [];
  const isOwn = (other: Runtime, at: number): boolean => at === place || isOtherKeyOf(other, runtime);
  return chain.flatMap((other, at) => (isOwn(other, at) ? [at] : []));
}

/** A key stays with the address that it is configured for, so only what is equal in everything else is another key. */
function isOtherKeyOf(left: Runtime, right: Runtime): boolean {
  const isSame = left.name === right.name && left.baseUrl === right.baseUrl && left.apiMode === right.apiMode;
  return isSame && left.keyName !== right.keyName;
}

function isAwakeAt(chain: RuntimeChain, place: number, isAwake: IsAwake): boolean {
  const runtime = chain[place];
  return runtime !== undefined && isAwake(runtime);
}

/** Behind two addresses are two servers, also of one vendor: a second machine at home, or a proxy. */
function isSameRuntime(left: Runtime, right: Runtime): boolean {
  return left.model === right.model && addressOf(left.baseUrl) === addressOf(right.baseUrl);
}

/** An address in the one form that all of its spellings have, without a name or a password. */
export function addressOf(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return baseUrl;
  const { protocol, host, pathname } = new URL(baseUrl);
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`;
}

/**
 * How long an answer is asked for where nobody said; undefined: nothing is asked, and the server decides. Anthropic's
 * protocol takes no request without a limit, and every model since Claude 4 allows this much.
 */
export const usualOutputTokens = {
  chat_completions: undefined,
  codex_responses: undefined,
  anthropic_messages: 32_000,
} as const satisfies Readonly<Record<ApiMode, number | undefined>>;

export function nameRuntime(vendor: string, model: string): RuntimeName {
  return `${vendor}:${model}` as RuntimeName;
}

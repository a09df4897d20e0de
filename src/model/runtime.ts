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
  readonly place: 'remote' | 'local' | 'demo';
  /** An aggregator keeps connections to the real servers itself: a fresh one of ours would change nothing. */
  readonly route: 'direct' | 'aggregator';
  /** How many tokens the model reads at once, where the settings or the server say so; else the catalogue is asked. */
  readonly window: number | undefined;
  readonly cacheLife: CacheLife;
}

/** A secret is reached through a function, so that no log line or JSON of a runtime can carry it. */
export type Credential = { readonly type: 'none' } | { readonly type: 'key'; readonly reveal: () => string };

/** The runtimes to try in a turn, primary first. A turn begins at the first again, whatever the last turn did. */
export type RuntimeChain = readonly [Runtime, ...Runtime[]];

/**
 * The place of the next runtime that can help where the one at `place` failed; undefined at the end of the chain. What is
 * the same model at the same vendor or address would only fail again. Pure.
 */
export function nextPlace(chain: RuntimeChain, place: number): number | undefined {
  const failing = chain[place];
  const next = chain.findIndex((candidate, index) => index > place && !(failing && isSameRuntime(candidate, failing)));
  return next === -1 ? undefined : next;
}

function isSameRuntime(left: Runtime, right: Runtime): boolean {
  return left.model === right.model && (left.vendor === right.vendor || left.baseUrl === right.baseUrl);
}

export function nameRuntime(vendor: string, model: string): RuntimeName {
  return `${vendor}:${model}` as RuntimeName;
}

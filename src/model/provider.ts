import type { BlobId } from '../base/ids.ts';
import type { JsonObject } from '../base/json.ts';
import type { AssistantMessage, Message } from './message.ts';

/** A tool as a model is told of it. */
export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** One question to a model. The order of its parts is the order of its bytes: what never changes comes first. */
export interface ModelRequest {
  readonly model: string;
  readonly system: string;
  readonly tools: readonly ToolSchema[];
  readonly messages: readonly Message[];
  /** The images of the messages as base64. One that is not here is sent as the line of text that stands for it. */
  readonly images?: ReadonlyMap<BlobId, string>;
  readonly toolUse: 'allowed' | 'forbidden';
  readonly maxOutputTokens: number | undefined;
  /** Equal for all requests of a session: servers find their cache of its beginning by it. */
  readonly cacheKey: string;
  /** How hard to think, where the model can be told; undefined leaves it to the server. */
  readonly effort: Effort | undefined;
  /** The id of the last answer of the same model in this session: some servers say what changed since. */
  readonly lastAnswerId?: string;
}

export type Effort = 'minimal' | 'low' | 'medium' | 'high';

export type Finish = 'stop' | 'length' | 'calls' | 'filtered' | 'interrupted';

/** Tokens of one call: read fresh, read from the provider's cache, written to it, and put out (reasoning is part of output). */
export interface Usage {
  readonly fresh: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
}

export const noUsage: Usage = { fresh: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };

/** What a server says of its cache with an answer, where it was asked. */
export interface CacheReport {
  /** The server's own id of the answer. */
  readonly answerId?: string;
  readonly cacheMiss?: CacheMiss;
}

/** Why a server could not go on from what it had read before, in its own words. */
export interface CacheMiss {
  readonly reason: string;
  /** About how many tokens it concerns, where the server says so. */
  readonly tokens?: number;
}

/** Why a call gave no answer. What is done about it follows from the kind alone, never from the text of a message. */
export type ModelFailure =
  | { readonly type: 'transport'; readonly kind: TransportKind; readonly message: string }
  | {
      readonly type: 'http';
      readonly status: number;
      readonly kind: RefusalKind;
      readonly message: string;
      readonly retryAfterMs: number | undefined;
    }
  | { readonly type: 'protocol'; readonly message: string }
  | { readonly type: 'unusable'; readonly kind: UnusableKind }
  | { readonly type: 'client'; readonly message: string }
  | { readonly type: 'aborted' };

/**
 * What a server's error means, whichever vendor's words it came in. `overflow` is a conversation that is too long for the
 * model, `stale-reasoning` are thoughts of earlier answers that the server does not take back, `images` are pictures that
 * it does not take: none at all, or not these.
 */
export type RefusalKind =
  | 'auth'
  | 'forbidden'
  | 'billing'
  | 'rate-limit'
  | 'overloaded'
  | 'server'
  | 'overflow'
  | 'stale-reasoning'
  | 'images'
  | 'not-found'
  | 'filtered'
  | 'bad-request';

/** An answer that arrived and cannot be used: nothing in it, a call that is not JSON, a call cut off by the length limit. */
export type UnusableKind = 'empty' | 'broken-call' | 'cut-call';

export type TransportKind = 'read-timeout' | 'connect-timeout' | 'pool-timeout' | 'connect-error' | 'cut';

export type ModelEvent =
  | { readonly type: 'text.delta'; readonly text: string }
  | { readonly type: 'reasoning.delta'; readonly text: string }
  | { readonly type: 'call.begun'; readonly name: string }
  | ({
      readonly type: 'finished';
      readonly message: AssistantMessage;
      readonly finish: Finish;
      readonly usage: Usage;
    } & CacheReport)
  | { readonly type: 'failed'; readonly failure: ModelFailure };

/** A client of one runtime. */
export interface Provider {
  /** Ends with exactly one `finished` or `failed` and never throws; an abort, even one from before the call, is a `failed`. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** Closes the client's connections. */
  close(): Promise<void>;
}

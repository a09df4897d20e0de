import type { ModelFailure } from '../model/provider.ts';

export interface TransportRequest {
  readonly url: string;
  /** POST where it is left out. */
  readonly method?: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** In the place of the body, where it is no text. */
  readonly bytes?: Uint8Array;
}

/** Why nothing came, or nothing more: the connection, the time, or whoever asked. Never what the server said. */
export type TransportFailure = Extract<ModelFailure, { readonly type: 'transport' | 'protocol' | 'aborted' }>;

export type BodyPiece =
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  | { readonly type: 'failed'; readonly failure: TransportFailure };

export type TransportAnswer =
  | {
      readonly type: 'answered';
      readonly status: number;
      /** Names are in lower case. */
      readonly headers: Readonly<Record<string, string>>;
      /** A piece that failed is the last one. Whoever stops before the end lets go of the connection. */
      readonly body: AsyncIterable<BodyPiece>;
    }
  | { readonly type: 'failed'; readonly failure: TransportFailure };

/** Carries the bytes of one protocol to a server and back. It knows nothing of models and never throws. */
export interface Transport {
  send(request: TransportRequest, signal: AbortSignal): Promise<TransportAnswer>;
  /** Destroys the connections, also those in use. */
  close(): Promise<void>;
}

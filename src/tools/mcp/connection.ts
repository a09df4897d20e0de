import type { JsonObject } from '../../base/json.ts';
import type { LoginNeeded } from './login-needed.ts';

/** A tool as its server describes it. */
export interface RemoteTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** What the server says of it; nobody has checked it. */
  readonly hints: 'read-only' | 'idempotent' | 'none';
}

export interface RemoteCall {
  readonly tool: string;
  readonly input: JsonObject;
  /** How long it may show no sign of life. */
  readonly timeoutMs: number;
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal;
}

/** What a call came to. Its contents are as the server sent them. */
export type RemoteResult =
  | {
      readonly type: 'answered';
      readonly isError: boolean;
      readonly content: readonly JsonObject[];
      readonly structured: JsonObject | undefined;
    }
  | { readonly type: 'refused'; readonly message: string }
  | { readonly type: 'timed-out' }
  /** The server has forgotten us, and has done nothing. */
  | { readonly type: 'forgotten' }
  /** It does not let us in any more, and has done nothing. */
  | { readonly type: 'locked-out'; readonly why: LoginNeeded }
  /** It lets us in, and not do this. */
  | { readonly type: 'not-allowed'; readonly message: string }
  | { readonly type: 'lost'; readonly message: string }
  /** There was no line to it to begin with. */
  | { readonly type: 'unreachable'; readonly message: string };

/** A server that answers. */
export interface Connection {
  readonly tools: readonly RemoteTool[];
  /** Why it is over, once it is. Never rejects. */
  readonly closed: Promise<string>;
  call(call: RemoteCall): Promise<RemoteResult>;
  /** Whether it still answers. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

/** How a server of tools stands. */
export type ToolServerState =
  | { readonly type: 'connected'; readonly tools: number }
  | { readonly type: 'connecting' }
  | { readonly type: 'failing'; readonly problem: string }
  | { readonly type: 'off' };

export interface ToolServerReport {
  readonly name: string;
  readonly state: ToolServerState;
}

/** Servers outside of the program that tools come from. */
export interface ToolServers {
  /** Connects to what the settings name now, and waits for it within a bound. Cheap where nothing has changed. */
  prepare(): Promise<void>;
  /** Connects to all of them anew. */
  reload(): Promise<readonly ToolServerReport[]>;
  report(): Promise<readonly ToolServerReport[]>;
}

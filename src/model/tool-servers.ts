import type { ProjectTools } from './project-servers.ts';
import type { ToolPlace } from './tool.ts';

/** How a server of tools stands. */
export type ToolServerState =
  | { readonly type: 'connected'; readonly tools: number }
  | { readonly type: 'connecting' }
  | { readonly type: 'failing'; readonly problem: string }
  /** It lets nobody in who has not logged in. */
  | { readonly type: 'needs-login' }
  | { readonly type: 'off' };

export interface ToolServerReport {
  readonly name: string;
  /** The folder of the project that names it; left out where the settings do. */
  readonly project?: string;
  readonly state: ToolServerState;
}

/** Servers outside of the program that tools come from. */
export interface ToolServers {
  /** Connects to what a session can use now, and waits for it within a bound. Cheap where nothing has changed. */
  prepare(session: ToolPlace): Promise<void>;
  /** Connects to all of them anew. */
  reload(): Promise<readonly ToolServerReport[]>;
  report(): Promise<readonly ToolServerReport[]>;
  /** The tools of the project around a folder, as they were prepared; undefined where it has none. */
  projectTools(workdir: string): ProjectTools | undefined;
}

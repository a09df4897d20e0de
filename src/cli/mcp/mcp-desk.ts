import type { Json, JsonObject } from '../../base/json.ts';
import type { LoggingIn, LoginWishes } from '../../model/mcp-logins.ts';
import type { McpServers } from '../../model/mcp-settings.ts';
import type { IgnoredServers } from '../../model/project-servers.ts';

export interface FoundTool {
  readonly name: string;
  readonly description: string;
}

export type McpTest =
  | { readonly type: 'connected'; readonly tools: readonly FoundTool[] }
  /** It lets nobody in who has not logged in. */
  | { readonly type: 'needs-login'; readonly problem: string }
  | { readonly type: 'failed'; readonly problem: string };

/** The MCP servers of the settings. */
export interface McpDesk {
  readonly servers: McpServers;
  /** The folder of the project that names a server; undefined where the settings do. */
  projectOf(name: string): string | undefined;
  /** The file with servers of the project around, where it does not count. */
  readonly ignored: IgnoredServers | undefined;
  /** The file that names them. */
  readonly path: string;
  readonly warnings: readonly string[];
  /** What is wrong with an entry, in words; undefined where nothing is. */
  problemOf(name: string, entry: JsonObject): string | undefined;
  /** Connects to a server that the settings name, or to an entry that they may come to have, and leaves it again. */
  test(name: string, entry?: JsonObject): Promise<McpTest>;
  /** Writes an entry; undefined takes it out. Returns the path of a copy of the settings as they were. */
  write(name: string, entry: Json | undefined): Promise<string | undefined>;
  /** Whether a login is kept for a server, or was asked for. */
  loginAt(name: string): 'none' | 'needed' | 'held';
  /** Logs a person in at a server, and keeps the login. */
  logIn(name: string, wishes: LoginWishes): Promise<LoggingIn>;
  /** Forgets the login; false where none was kept. */
  logOut(name: string): Promise<boolean>;
}

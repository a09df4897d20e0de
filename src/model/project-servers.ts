import type { McpServers } from './mcp-settings.ts';
import type { Tool } from './tool.ts';

/** The MCP servers that a project names, and whether they count. */
export type ProjectServers =
  | { readonly type: 'none' }
  /** Nobody trusts the folder. */
  | { readonly type: 'untrusted'; readonly folder: string }
  /** The folder is trusted, and this was not there or was different when it was looked at. */
  | { readonly type: 'changed'; readonly folder: string; readonly digest: string }
  | { readonly type: 'broken'; readonly folder: string; readonly problem: string }
  | TrustedServers;

export interface TrustedServers {
  readonly type: 'trusted';
  readonly folder: string;
  readonly servers: McpServers;
}

/** A file of a project with servers that do not count, why, and the command that has them count. */
export interface IgnoredServers {
  readonly name: string;
  readonly folder: string;
  readonly reason: string;
  readonly fix: string | undefined;
}

/** Pure. */
export function describeIgnoredServers({ name, folder, reason, fix }: IgnoredServers): string {
  const advice = fix === undefined ? '' : `. To look at it and trust it: ${fix}`;
  return `${name} in ${folder} is not used: ${reason}${advice}`;
}

export interface ProjectServersSource {
  /** Cheap where nothing has changed; then it is the same object, too. */
  at(workdir: string): ProjectServers;
  /** The same, where they count. */
  trustedAt(workdir: string): TrustedServers | undefined;
}

/** The tools that only the sessions of one project have. The generation rises with every change of the list. */
export interface ProjectTools {
  readonly generation: number;
  readonly tools: ReadonlyMap<string, Tool>;
}

import type { mcpServersSchema } from './mcp-schema.ts';
import type { Problem, ValueOf } from './schema.ts';
import { nameTaken } from './toolsets.ts';

/** Where a server is: a program of this machine, or an address. */
export type McpPlace =
  | {
      readonly type: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** Undefined: the user's home folder. */
      readonly cwd: string | undefined;
    }
  | {
      readonly type: 'http';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly oauth: McpOAuthSettings;
    }
  | { readonly type: 'nowhere' };

export type HttpPlace = Extract<McpPlace, { readonly type: 'http' }>;

/** How to log in; what is left out, the server is asked for. */
export interface McpOAuthSettings {
  readonly clientId: string | undefined;
  /** The name of the variable that holds the secret. */
  readonly clientSecretEnv: string | undefined;
  readonly scope: string | undefined;
  readonly redirectPort: number | undefined;
}

export interface McpServerSettings {
  readonly place: McpPlace;
  readonly isEnabled: boolean;
  readonly timeoutMs: number;
  readonly connectMs: number;
  /** The tools to take, by the server's own names; undefined takes all but the excluded. */
  readonly include: readonly string[] | undefined;
  readonly exclude: readonly string[];
  /** Whose calls need no consent: all of its tools, or these. */
  readonly trust: 'all' | readonly string[];
}

export type McpServers = Readonly<Record<string, McpServerSettings>>;

/** When tools of servers are found on demand instead of being listed. */
export interface ToolSearchSettings {
  readonly mode: 'auto' | 'on' | 'off';
  /** The share of the window that their schemas may take. */
  readonly threshold: number;
}

type UserServers = ValueOf<typeof mcpServersSchema>;
type UserServer = UserServers[string];

/** A name that can stand in the name of a tool. */
export const mcpServerName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;

export function mcpServers(user: UserServers = {}): McpServers {
  return Object.fromEntries(Object.entries(user).map(([name, server]) => [name, serverSettings(server)]));
}

function serverSettings(user: UserServer): McpServerSettings {
  return {
    place: placeOf(user),
    isEnabled: user.enabled ?? true,
    timeoutMs: (user.timeout ?? 120) * 1000,
    connectMs: (user.connect_timeout ?? 60) * 1000,
    include: user.tools?.include,
    exclude: user.tools?.exclude ?? [],
    trust: user.trust === true ? 'all' : (user.tools?.allow ?? []),
  };
}

function placeOf({ url, headers, oauth, command, args, env, cwd }: UserServer): McpPlace {
  if (url !== undefined) return { type: 'http', url, headers: headers ?? {}, oauth: oauthSettings(oauth) };
  if (command !== undefined) return { type: 'stdio', command, args: args ?? [], env: env ?? {}, cwd };
  return { type: 'nowhere' };
}

function oauthSettings(user: UserServer['oauth']): McpOAuthSettings {
  return {
    clientId: user?.client_id,
    clientSecretEnv: user?.client_secret_env,
    scope: user?.scope,
    redirectPort: user?.redirect_port,
  };
}

/** What is well formed about servers and still cannot be meant. */
export function doubtsAboutServers(user: UserServers = {}): readonly Problem[] {
  return Object.entries(user).flatMap(([name, server]) => {
    const path = ['mcp_servers', name];
    const say = (message: string): Problem => ({ path, message: `the MCP server ${name} ${message}` });
    const taken = nameTaken(name);
    const hasBoth = server.url !== undefined && server.command !== undefined;
    const hasNone = server.url === undefined && server.command === undefined;
    return [
      ...(mcpServerName.test(name)
        ? []
        : [say('is not used: a name has letters, digits, _ and -, 32 of them at most')]),
      ...(taken === undefined ? [] : [say(`is not used: ${taken}`)]),
      ...(hasBoth ? [say('has a url and a command: the url is used')] : []),
      ...(hasNone ? [say('is not used: it has neither a command nor a url')] : []),
    ];
  });
}

import type { JsonObject } from '../base/json.ts';

/** What is known about the login at a server. The parts of a held one are as the protocol's library made them. */
export type McpLogin =
  /** The server has asked for one. */
  | { readonly type: 'asked'; readonly url: string }
  | {
      readonly type: 'held';
      /** The server that it is for: at any other address it counts for nothing. */
      readonly url: string;
      /** As whom the program is known there. Without a secret where the settings name one. */
      readonly client: JsonObject;
      /** Who gave the tokens, and renews them. */
      readonly discovery: JsonObject;
      readonly tokens: JsonObject;
      /** When the access token is worth nothing any more, in milliseconds; undefined where nobody said. */
      readonly expiresAt: number | undefined;
    };

export type HeldLogin = Extract<McpLogin, { readonly type: 'held' }>;

/** The logins at MCP servers, kept in the home and shared with every process that uses it. */
export interface McpLogins {
  /** Differs whenever the login was changed, by whatever process. */
  stamp(server: string): string;
  /** Undefined where nothing is known, or what is kept is for another address. */
  read(server: string, url: string): McpLogin | undefined;
  write(server: string, login: HeldLogin): Promise<void>;
  /** Notes that a server asks for a login. One that is held stays, unless it is the one that was refused for good. */
  noteAsked(server: string, url: string, refused?: HeldLogin): Promise<void>;
  /** False where there was none. */
  remove(server: string): Promise<boolean>;
  /** Runs one piece of work at a time for a server, in all processes: what renews a login spends it. */
  exclusively<Result>(server: string, work: () => Promise<Result>): Promise<Result>;
  /** What must not appear in any log, as far as it was read or written here. */
  secrets(): readonly string[];
}

/** Whoever logs in at a server. */
export interface LoginPerson {
  /** Shows the address at which to log in. */
  show(address: string): void;
  /** The addresses that someone copied out of a browser that could not come back by itself. May never end. */
  readonly pasted: AsyncIterable<string>;
  /** Says what is wrong with what was pasted. */
  complain(problem: string): void;
}

export interface LoginWishes {
  /** What to ask for besides what the server and the settings say. */
  readonly scope: string | undefined;
  readonly person: LoginPerson;
}

export type LoggingIn =
  | { readonly type: 'logged-in' }
  /** The server lets everyone in. */
  | { readonly type: 'not-asked' }
  | { readonly type: 'failed'; readonly problem: string };

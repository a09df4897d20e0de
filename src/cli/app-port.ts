import type { PersonId, SessionId } from '../base/ids.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { TerminalPort } from '../model/channel.ts';
import type { Address } from '../model/session.ts';
import type { Store } from '../model/store.ts';

/** What the commands need of the program. The roof builds it; nothing here knows how. */
export interface App extends AsyncDisposable {
  readonly store: Store;
  /** What the user should know about the settings: unknown keys, a broken file. */
  readonly warnings: readonly string[];
  /** Begins to serve one chat in this terminal. Throws `no-model` where the configured model cannot be used. */
  serveTerminal(seat: Seat): Promise<ServedTerminal>;
  /** Ends a session's shell and removes its working state. */
  endTask(sessionId: SessionId): Promise<void>;
}

export interface Seat {
  readonly port: TerminalPort;
  readonly address: Address;
  readonly person: PersonId;
  readonly workdir: string;
}

export interface ServedTerminal {
  readonly gateway: Pick<Gateway, 'takeIn' | 'watch' | 'resume' | 'whenIdle' | 'deliver'>;
  readonly model: { readonly name: string; readonly place: 'remote' | 'local' | 'demo' };
}

export interface OpenOptions {
  /** Instead of the configured model, for this run only. */
  readonly model: string | undefined;
}

export type OpenApp = (options: OpenOptions) => Promise<App>;

/** The process as the commands see it, so that a test can stand in for a person at a terminal. */
export interface ProcessPort {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly version: string;
  readonly homeFolder: () => string;
}

export interface CliDeps {
  readonly openApp: OpenApp;
  readonly process: ProcessPort;
}

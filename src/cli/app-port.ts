import type { ModelCheck } from '../agents/check-model.ts';
import type { Models } from '../agents/models.ts';
import type { LookUp } from '../agents/survey-models.ts';
import type { PersonId, SessionId } from '../base/ids.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { GatewayHost } from '../gateway/gateway-status.ts';
import type { DeskAnswer, DeskRequest } from '../gateway/people-desk.ts';
import type { ConsentDesk } from '../model/approvals.ts';
import type { Background } from '../model/background.ts';
import type { Catalogue } from '../model/catalogue.ts';
import type { TerminalPort } from '../model/channel.ts';
import type { NamedState } from '../model/channel-state.ts';
import type { Config } from '../model/config.ts';
import type { Runtime } from '../model/runtime.ts';
import type { Address, SessionSettings } from '../model/session.ts';
import type { Blobs, Search, Sessions, TurnLog, Usages } from '../model/store.ts';
import type { TrustDesk } from '../model/trust.ts';
import type { DoctorDesk } from './doctor/doctor-desk.ts';
import type { McpDesk } from './mcp/mcp-desk.ts';
import type { Unfinished } from './render/transcript.ts';
import type { GatewayView, StartFailure } from './service/gateway-view.ts';

/**
 * What the commands need of the program. The roof builds it; nothing here knows how, nor whether it is this process that
 * serves or a gateway that this one is attached to.
 */
export interface App extends AsyncDisposable {
  readonly store: CommandStore;
  readonly catalogue: Pick<Catalogue, 'cost' | 'price'>;
  /** What the user should know about the settings: unknown keys, a broken file. */
  readonly warnings: readonly string[];
  /** What becomes of turns that no terminal looks at: they wait for one, or go on in the gateway. */
  readonly leftTurns: 'wait' | 'go-on';
  /** How it stands with what is unfinished in a session. */
  unfinishedIn(sessionId: SessionId): Promise<Unfinished>;
  /** Begins to serve one chat in this terminal. Throws `no-model` where the model that is chosen for it cannot be used. */
  serveTerminal(seat: Seat, settings: SessionSettings | undefined): Promise<ServedTerminal>;
  /** Ends the shell of a session that was deleted, and removes its working state and the files that were sent to it. */
  endTask(sessionId: SessionId): Promise<void>;
}

/** What the commands read and change of the store. */
export interface CommandStore {
  readonly sessions: Pick<Sessions, 'at' | 'resume' | 'matching' | 'list' | 'delete'>;
  readonly turns: Pick<TurnLog, 'after' | 'unsettled' | 'consents'>;
  readonly search: Search;
  readonly blobs: Pick<Blobs, 'read'>;
  readonly usages: Pick<Usages, 'list'>;
}

/** The program as the gateway of its home, which it alone serves. */
export interface GatewayApp extends App {
  /**
   * Begins to serve every channel of the settings, and goes on with what is unfinished there. Lines for whoever runs the
   * program go to `report`. Throws `bad-config` where no channel is set up.
   */
  serveChannels(report: (line: string) => void, host: GatewayHost): Promise<ServedChannels>;
  /** Writes a line into the log. */
  note(line: string): void;
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
  /** What the user should know: a stand-in that cannot be used, a context file that is not trusted. */
  readonly warnings: readonly string[];
  /** Rejects once whoever serves this is gone for good; never, where that is this process. */
  readonly lost: Promise<never>;
  /** False while whoever serves this is gone: what is typed meanwhile waits for them. Always true where that is this process. */
  readonly isReachable: () => boolean;
}

export interface ServedChannels {
  readonly gateway: {
    whenDeaf(): Promise<void>;
    /** Resolves once each channel has got an answer, and something can be served. */
    whenConnected(): Promise<void>;
    channelStates(): readonly NamedState[];
    /** How many sessions have something running. */
    atWork(): number;
    /** Resolves when a session has nothing left to do. */
    whenIdle(sessionId: SessionId): Promise<void>;
    /**
     * Begins no more turns and lets those that run end, as long as the settings say. Whoever waits for what is left is told
     * that it goes on at the next start.
     */
    drain(): Promise<void>;
  };
  /** The page in the browser, where it is served. */
  readonly web:
    | { readonly origin: string; readonly note: string | undefined; readonly newLink: () => string }
    | undefined;
  readonly model: ServedTerminal['model'];
  readonly warnings: readonly string[];
}

/** Sessions past their retention are forgotten first, so that none of them can be chosen. */
export interface ServeOptions {
  readonly purpose: 'serve';
  /** Instead of the configured model, for this run only. */
  readonly model: string | undefined;
  /** `safe`: with the settings of the last start that served, and nothing that is loaded from outside. */
  readonly start?: 'usual' | 'safe';
}

/** To `look` needs no place of its own; to `change` what is kept does, or a gateway that does it. */
export type OpenOptions = ServeOptions | { readonly purpose: 'look' | 'change' };

/**
 * Opens the home. Where a gateway runs on it, that is attached to. Where something else does, it throws `already-running`, except
 * to whoever only wants to look: they read what is kept beside it.
 */
export type OpenApp = (options: OpenOptions) => Promise<App>;

/** The settings as the program uses them, and the file that they come from. */
export interface SettingsReport {
  readonly path: string;
  readonly config: Config;
  /** `last-good` stands in for a file that is broken now; `defaults` where there is no file. */
  readonly source: 'file' | 'last-good' | 'defaults';
  /** What is wrong with the file, each with its line and column. */
  readonly warnings: readonly string[];
}

/** The models of the settings, as far as they can be judged without asking anyone. */
export interface ModelReport {
  /** Why no chat could begin. */
  readonly problem: string | undefined;
  readonly warnings: readonly string[];
}

/** Someone whose models can be asked. */
export interface VendorKey {
  readonly name: string;
  /** The variable that holds the key; undefined where none is needed. */
  readonly keyName: string | undefined;
  readonly hasKey: boolean;
  /** The variables that hold one and the commands that print one, in the order in which they are used. */
  readonly keys: readonly string[];
}

/** The models that can be chosen here. */
export interface ModelDesk {
  readonly models: Models;
  /** What the user should know about the settings. */
  readonly warnings: readonly string[];
  readonly vendors: readonly VendorKey[];
  readonly lookUp: LookUp;
  /** Asks it for one word. */
  check(runtime: Runtime): Promise<ModelCheck>;
}

/** Whose a bot's token is, or why it cannot be used. */
export type TokenCheck =
  | { readonly type: 'valid'; readonly id: string; readonly username: string; readonly name: string }
  | { readonly type: 'invalid'; readonly problem: string }
  | { readonly type: 'unreachable'; readonly problem: string };

/** The token of the Telegram bot. */
export interface TelegramDesk {
  readonly hasToken: boolean;
  /** Whose token is there; undefined where none is. */
  readonly botId: string | undefined;
  /** Asks Telegram whose a token is; left out: the one that is there. */
  check(token?: string): Promise<TokenCheck>;
  /** Keeps it for the next start, and names the variable of the environment that hides it, if one does. */
  save(token: string): Promise<{ readonly path: string; readonly shadowedBy: string | undefined }>;
}

export type RefreshedPrices =
  | { readonly type: 'refreshed'; readonly url: string; readonly path: string; readonly models: number }
  | { readonly type: 'failed'; readonly url: string; readonly reason: string };

/** What a shell or a person sends to end a program. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** The process as the commands see it. */
export interface ProcessPort {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** What stands behind stdin, told without opening it: `nothing` is /dev/null or a closed descriptor. */
  readonly stdinType: () => 'terminal' | 'nothing' | 'data';
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that the command was given in. Throws where it no longer exists. */
  readonly cwd: () => string;
  readonly version: string;
  readonly homeFolder: () => Promise<string>;
  readonly platform: NodeJS.Platform;
  /** The Node that runs, and the program that it runs. */
  readonly program: () => { readonly node: string; readonly script: string };
  /** While someone listens, the signal does not end the process by itself. */
  onStopSignal(listener: (signal: StopSignal) => void): Disposable;
  /** Sends a signal to another process; one that is gone needs none. */
  signal(pid: number, signal: StopSignal): void;
  /** Ends the process at once, without giving anything back. */
  exitNow(code: number): void;
}

/** The gateway of a home that is safe and exists. */
export interface ServiceDesk extends GatewayView {
  /** Keeps why a start failed, or forgets it once one has come to serve. */
  noteStart(failure: Omit<StartFailure, 'at'> | undefined): Promise<void>;
}

export interface CliDeps {
  readonly openApp: OpenApp;
  /** Opens the home to serve its channels. Throws `already-running`, whoever it is that does. */
  readonly openGateway: (options: ServeOptions) => Promise<GatewayApp>;
  /** Reads the settings without opening the store, so that it works beside a running program. Throws `bad-config`. */
  readonly readSettings: () => Promise<SettingsReport>;
  /** Judges the models of the settings by what is on this machine alone. */
  readonly checkModels: () => Promise<ModelReport>;
  /** Opens the models without the store, so that it works beside a running program. */
  readonly openModels: () => Promise<ModelDesk>;
  /** Fetches the newest prices and windows, for every later start. */
  readonly refreshPrices: () => Promise<RefreshedPrices>;
  /** Asks the gateway that runs on this home; where none runs, the home itself is asked. */
  readonly askGateway: (request: DeskRequest) => Promise<DeskAnswer>;
  /** Opens the bot's token without the store, so that it works beside a running program. */
  readonly openTelegramDesk: () => Promise<TelegramDesk>;
  /** Opens neither the store nor anything of the program that may run. */
  readonly openServiceDesk: () => Promise<ServiceDesk>;
  /** Opens the list of trusted folders without the store, so that it works beside a running program. */
  readonly openTrust: () => Promise<TrustDesk>;
  /** Opens what was allowed for good without the store, so that it works beside a running program. */
  readonly openConsent: () => Promise<ConsentDesk>;
  /** Opens the background processes of all sessions without the store, so that it works beside a running program. */
  readonly openProcesses: () => Promise<Background>;
  /**
   * Opens the MCP servers of the settings, and of the trusted project around a folder where one is given, without the store, so
   * that it works beside a running program.
   */
  readonly openMcp: (folder?: string) => Promise<McpDesk>;
  /** Looks at everything and changes nothing: the home need not exist, its settings may be broken. */
  readonly openDoctor: () => Promise<DoctorDesk>;
  readonly process: ProcessPort;
}

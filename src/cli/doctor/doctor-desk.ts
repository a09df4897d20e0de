import type { AdmittedPerson, HomeState, StoreState } from '../../model/health.ts';
import type { IgnoredServers } from '../../model/project-servers.ts';
import type { GatewayView } from '../service/gateway-view.ts';

/**
 * What `talaria doctor` looks at. Nothing here changes anything, asks anyone beyond this machine, or hands out a secret:
 * keys are known by their names.
 */
export interface DoctorDesk {
  readonly program: { readonly node: string; readonly sqlite: string; readonly machine: string };
  readonly places: { readonly home: string; readonly envFile: string; readonly socket: string };
  readonly settings: SettingsFacts;
  /** What is wrong with the file that keys are kept in. */
  readonly keyWarnings: readonly string[];
  readonly gateway: GatewayView;
  home(): HomeState;
  store(): StoreState;
  /** The rest goes by the settings, and throws where there are none that can be used. */
  model(): Promise<ModelFacts>;
  channels(): Promise<ChannelFacts>;
  hands(): Promise<HandFacts>;
  consent(): Promise<ConsentFacts>;
  servers(): Promise<readonly ServerFacts[]>;
  /** The file with servers of the project around a folder, where it does not count. */
  ignoredServers(folder: string): IgnoredServers | undefined;
  /** Who was let in, from the gateway that runs; undefined where none does. */
  people(): Promise<readonly AdmittedPerson[] | undefined>;
  /** Takes every known secret out of a text. */
  redact(text: string): string;
}

export type SettingsFacts =
  | {
      readonly type: 'usable';
      readonly path: string;
      readonly source: 'file' | 'defaults' | 'last-good';
      /** Each with its line and column, but for those that are said where they cost something. */
      readonly warnings: readonly string[];
      /** Which settings count in place of a file that is broken. */
      readonly instead?: string | undefined;
    }
  | { readonly type: 'unusable'; readonly problems: readonly string[] };

export interface ModelFacts {
  readonly found:
    | {
        readonly type: 'chosen';
        readonly name: string;
        readonly place: 'remote' | 'local' | 'demo';
        readonly key: KeyFacts;
      }
    | { readonly type: 'unusable'; readonly problem: string };
  readonly warnings: readonly string[];
  /** The variable that would have to hold a key; undefined where that is not what is missing. */
  readonly missingKey: string | undefined;
  /** The demo answers because there is nothing else, and not because the settings say so. */
  readonly isStopgap: boolean;
  /** Ollamas of other machines, on which it may depend. */
  readonly unasked: readonly string[];
}

export type KeyFacts =
  | { readonly type: 'none' }
  | { readonly type: 'printed'; readonly name: string }
  | { readonly type: 'kept'; readonly name: string; readonly place: 'environment' | 'file' };

export interface ChannelFacts {
  readonly telegram: {
    readonly tokenName: string;
    readonly token: 'environment' | 'file' | undefined;
    /** How many the settings let in. */
    readonly allowed: number;
    readonly folder: ChatFolder;
  };
  readonly web: {
    readonly isEnabled: boolean;
    readonly host: string;
    /** Undefined: the usual one, or a free one where that is taken. */
    readonly port: number | undefined;
    readonly isExposed: boolean;
    readonly isLoopback: boolean;
    /** Whether someone listens there now. */
    readonly isTaken: boolean;
    readonly folder: ChatFolder;
  };
}

/** The folder that new chats begin in. */
export interface ChatFolder {
  readonly path: string;
  /** A whole home cannot be set apart, so that commands run there without a sandbox. */
  readonly isWholeHome: boolean;
}

export interface HandFacts {
  readonly bash: ProgramFacts;
  readonly git: ProgramFacts;
  readonly ripgrep: ProgramFacts;
  readonly chromium: ProgramFacts;
  /** Why pages are not locked away from the system; undefined where they are. */
  readonly openBrowser: string | undefined;
  readonly sandbox: SandboxFacts;
  /** Undefined where commands run on this machine. */
  readonly elsewhere: ElsewhereFacts | undefined;
}

/** The place that commands run in, which is not asked anything, and the program that leads there. */
export interface ElsewhereFacts {
  readonly name: string;
  readonly program: ProgramFacts & { readonly name: string };
  /** Why nothing can run there as it is set. */
  readonly problem: string | undefined;
}

/** Where a program is, and the command that installs it here, as far as that is known. */
export interface ProgramFacts {
  readonly path: string | undefined;
  readonly install: string | undefined;
}

/** Whether commands can be kept inside a sandbox here. */
export type SandboxFacts =
  | { readonly type: 'ready'; readonly by: string }
  | { readonly type: 'none'; readonly reason: string; readonly fix: string | undefined };

export interface ConsentFacts {
  readonly timeoutMs: number;
  readonly rules: Counted;
  readonly trustedFolders: Counted;
  /** MCP servers whose calls need no consent, all of them or some. */
  readonly trustedServers: readonly string[];
  readonly passedVariables: readonly string[];
}

export type Counted =
  | { readonly type: 'read'; readonly count: number }
  | { readonly type: 'broken'; readonly problem: string };

export interface ServerFacts {
  readonly name: string;
  readonly isEnabled: boolean;
  /** Variables that its settings name and nobody has set. */
  readonly missing: readonly string[];
  readonly place:
    | { readonly type: 'nowhere' }
    | { readonly type: 'http'; readonly origin: string; readonly login: 'needed' | 'held' | 'none' }
    | { readonly type: 'stdio'; readonly command: string; readonly path: string | undefined };
}

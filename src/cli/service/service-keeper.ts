import type { Keeper } from '../../gateway/gateway-status.ts';

/** What a service is made of. Nothing in it is a secret: keys are read from the home when it starts. */
export interface ServiceFacts {
  readonly node: string;
  readonly script: string;
  /** The home of the program. */
  readonly home: string;
  readonly logs: string;
  /** The home folder of the user. */
  readonly userHome: string;
  readonly user: string;
  readonly uid: number;
  /** Commands of the agent are looked for there: a service manager has a bare one of its own. */
  readonly path: string;
  readonly configFolder: string | undefined;
  readonly language: string | undefined;
  readonly drainMs: number;
  /** Whether the settings could be read; else a file is not called outdated for what comes from them. */
  readonly drainFrom: 'settings' | 'guess';
}

export interface ServiceState {
  /** `outdated`: another file would be written now. `foreign`: it was not written by this program. */
  readonly file: 'none' | 'current' | 'outdated' | 'foreign';
  readonly isEnabled: boolean;
}

/** The system's own way to keep a program running. Its methods throw `unsupported` where it refuses. */
export interface ServiceKeeper {
  readonly name: Extract<Keeper, 'systemd' | 'launchd'>;
  /** What it calls our service. */
  readonly unit: string;
  /** The file that describes it. */
  readonly path: string;
  /** Where its own output goes, for people. */
  readonly outputHint: string;
  /** Why it cannot be used here; undefined where it can. */
  problem(): Promise<string | undefined>;
  state(): Promise<ServiceState>;
  /** What went wrong with the service by the account of the manager, and what it does about it; undefined where nothing did. */
  trouble(): Promise<string | undefined>;
  /** The command that keeps services running while nobody is logged in; undefined where they do, or there is none. */
  lingerCommand(): Promise<string | undefined>;
  /** Writes the file and has it started with the machine. Returns what people should know. */
  install(): Promise<readonly string[]>;
  /** Stops it and removes the file. Returns what people should know. */
  uninstall(): Promise<readonly string[]>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The first line of a file that this program wrote and may remove. */
export const ownMark = 'Written by `talaria gateway install`';

// Behind the drain: turns that are told to end, people who are told, channels and the store.
const restMs = 30_000;

/** How long to wait for an orderly end before it counts as stuck. One number for us and for the service manager. Pure. */
export function longestStopMs(drainMs: number): number {
  return drainMs + restMs;
}

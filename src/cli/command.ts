import type { CliDeps } from './app-port.ts';

/** The words and options of a command line that fits its command. */
export interface Arguments {
  readonly words: readonly string[];
  has(option: string): boolean;
  value(option: string): string | undefined;
  /** Of an option that may be given several times, all its values in order. */
  values(option: string): readonly string[];
}

export type CommandName =
  | 'chat'
  | 'run'
  | 'sessions list'
  | 'sessions show'
  | 'sessions search'
  | 'sessions export'
  | 'sessions delete'
  | 'usage show'
  | 'usage why'
  | 'config show'
  | 'config path'
  | 'config check'
  | 'config schema'
  | 'model list'
  | 'model set'
  | 'model check'
  | 'model refresh'
  | 'gateway run'
  | 'gateway setup'
  | 'gateway start'
  | 'gateway stop'
  | 'gateway restart'
  | 'gateway status'
  | 'gateway logs'
  | 'gateway install'
  | 'gateway uninstall'
  | 'gateway pair'
  | 'gateway people'
  | 'gateway revoke'
  | 'gateway link'
  | 'gateway logout'
  | 'mcp add'
  | 'mcp remove'
  | 'mcp list'
  | 'mcp test'
  | 'mcp login'
  | 'mcp logout'
  | 'trust add'
  | 'trust list'
  | 'trust remove'
  | 'processes list'
  | 'processes show'
  | 'processes stop'
  | 'approvals list'
  | 'approvals revoke'
  | 'approvals log'
  | 'approvals test'
  | 'doctor'
  | 'help';

/** Runs a command and resolves with the exit code. */
export type CommandFunction = (args: Arguments, deps: CliDeps) => Promise<number>;

export interface OptionRow {
  readonly name: string;
  readonly short?: string;
  /** What its value is called in the help; an option without one is a switch. */
  readonly value?: string;
  readonly summary: string;
}

/** How many words a command takes, and what they are called. */
export interface WordsRow {
  readonly label: string;
  readonly atLeast: number;
  readonly atMost: number;
  /** What to do where one of them was taken for an option. */
  readonly advice?: string;
}

export interface CommandRow {
  /** One word, or a group and a verb. */
  readonly name: CommandName;
  /** Other words for its last one. */
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly words: WordsRow;
  readonly options: readonly OptionRow[];
  readonly details: readonly string[];
}

export interface GroupRow {
  readonly name: string;
  readonly summary: string;
  /** What the bare name of the group does. */
  readonly defaultVerb: string;
}

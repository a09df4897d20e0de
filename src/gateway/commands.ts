import { nearestWord } from '../base/nearest-word.ts';
import { busyModes } from '../model/busy-mode.ts';
import type { BusyMode } from '../model/busy-mode.ts';
import type { Inbound } from '../model/channel.ts';
import { partsToText } from '../model/message.ts';
import type { CommandDeps, CommandOutcome, InboundMessage } from './command-deps.ts';
import { runStop, setBusyMode } from './talk-commands.ts';

export interface Command {
  readonly name: string;
  readonly rest: string;
}

export type CommandRunner = (command: Command, inbound: InboundMessage) => Promise<CommandOutcome>;

const groups = {
  talk: 'While it works',
  session: 'This conversation',
  consent: 'Consent',
  model: 'Model and money',
  program: 'The program',
} as const;

export interface CommandRow {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly group: keyof typeof groups;
  readonly usage: string;
  readonly summary: string;
  /** Set where half of the name is not enough: a slip must not allow anything or end anything. */
  readonly typed?: 'in-full';
  /** Set where it does nothing if words stand behind it: they were meant for someone, and it would not heed them. */
  readonly words?: 'none';
  /** Whether it asks others, who may take their time; left out: it does not. */
  takesLong?(rest: string): boolean;
  run(rest: string, inbound: InboundMessage, deps: CommandDeps): Promise<CommandOutcome>;
}

/** The one table of slash commands: it serves the terminal, and every menu and help text is made from it. */
export const commandTable: readonly CommandRow[] = [
  {
    name: 'help',
    aliases: ['commands', '?', 'start'],
    group: 'program',
    usage: '/help [COMMAND]',
    summary: 'what can be typed here, all of it or one command',
    run: (rest) => Promise.resolve({ type: 'listing', reply: describeHelp(rest) }),
  },
  {
    name: 'stop',
    aliases: [],
    group: 'talk',
    usage: '/stop',
    summary: 'stop what is running',
    run: runStop,
  },
  {
    name: 'steer',
    aliases: [],
    group: 'talk',
    usage: '/steer [TEXT]',
    summary: 'add to the running turn; without a text: what every message does here',
    run: (_rest, inbound, deps) => setBusyMode('steer', inbound, deps),
  },
  {
    name: 'queue',
    aliases: ['q'],
    group: 'talk',
    usage: '/queue [TEXT]',
    summary: 'wait for the running turn; without a text: what every message does here',
    run: (_rest, inbound, deps) => setBusyMode('queue', inbound, deps),
  },
  {
    name: 'interrupt',
    aliases: [],
    group: 'talk',
    usage: '/interrupt [TEXT]',
    summary: 'stop the running turn and come next; without a text: what every message does here',
    run: (_rest, inbound, deps) => setBusyMode('interrupt', inbound, deps),
  },
  {
    name: 'new',
    aliases: ['reset', 'clear'],
    group: 'session',
    usage: '/new, /reset, /clear',
    summary: 'start a new session; the old one is kept, what it runs in the background ends',
    words: 'none',
    run: async (_rest, inbound, deps) => (await import('./session-commands.ts')).runNew(inbound, deps),
  },
  {
    name: 'retry',
    aliases: [],
    group: 'session',
    usage: '/retry',
    summary: 'say your last message again; its answer is taken back, what tools did is not',
    words: 'none',
    run: async (_rest, inbound, deps) => (await import('./undo-commands.ts')).runRetry(inbound, deps),
  },
  {
    name: 'undo',
    aliases: [],
    group: 'session',
    usage: '/undo',
    summary: 'take your last message and its answer back; the log keeps them',
    words: 'none',
    run: async (_rest, inbound, deps) => (await import('./undo-commands.ts')).runUndo(inbound, deps),
  },
  {
    name: 'rollback',
    aliases: [],
    group: 'session',
    usage: '/rollback [N | list | show [N]] [--force]',
    summary: 'put back the files that the last turn wrote, or the last N',
    typed: 'in-full',
    run: async (rest, inbound, deps) => (await import('./rollback-command.ts')).runRollback(rest, inbound, deps),
  },
  {
    name: 'compact',
    aliases: ['compress'],
    group: 'session',
    usage: '/compact [FOCUS | undo]',
    summary: 'shorten this conversation for the model; nothing is deleted',
    run: async (rest) => (await import('./compact-command.ts')).readCompact(rest),
  },
  {
    name: 'sessions',
    aliases: [],
    group: 'session',
    usage: '/sessions',
    summary: 'the latest sessions',
    words: 'none',
    run: async (_rest, inbound, deps) => (await import('./resume-command.ts')).listSessions(inbound, deps),
  },
  {
    name: 'resume',
    aliases: [],
    group: 'session',
    usage: '/resume [NUMBER | ID | TITLE]',
    summary: 'go on with an earlier session here; without more: the latest ones',
    run: async (rest, inbound, deps) => (await import('./resume-command.ts')).runResume(rest, inbound, deps),
  },
  {
    name: 'title',
    aliases: ['name'],
    group: 'session',
    usage: '/title TEXT',
    summary: 'name this session',
    run: async (rest, inbound, deps) => (await import('./session-commands.ts')).runTitle(rest, inbound, deps),
  },
  {
    name: 'status',
    aliases: [],
    group: 'session',
    usage: '/status',
    summary: 'this session, its model and what it is at',
    words: 'none',
    run: async (_rest, inbound, deps) => {
      const { runStatus } = await import('./session-commands.ts');
      return { type: 'listing', reply: await runStatus(inbound, deps) };
    },
  },
  {
    name: 'processes',
    aliases: ['ps'],
    group: 'session',
    usage: '/processes [show ID | stop ID]',
    summary: 'what runs in the background for this conversation; show its output, or stop one',
    takesLong: (rest) => rest !== '',
    run: async (rest, inbound, deps) => (await import('./processes-command.ts')).runProcesses(rest, inbound, deps),
  },
  {
    name: 'approve',
    aliases: [],
    group: 'consent',
    usage: '/approve [session | always]',
    summary: 'allow what is asked here, once or further; of several questions the oldest',
    typed: 'in-full',
    run: async (rest, inbound, deps) => (await import('./consent-commands.ts')).runApprove(rest, inbound, deps),
  },
  {
    name: 'deny',
    aliases: [],
    group: 'consent',
    usage: '/deny [session]',
    summary: 'refuse what is asked here, of several questions the oldest; or take back what is allowed in this session',
    run: async (rest, inbound, deps) => (await import('./consent-commands.ts')).runDeny(rest, inbound, deps),
  },
  {
    name: 'yolo',
    aliases: [],
    group: 'consent',
    usage: '/yolo [on | off]',
    summary: 'run everything in this session without asking; disasters are still refused',
    typed: 'in-full',
    run: async (rest, inbound, deps) => (await import('./consent-commands.ts')).runYolo(rest, inbound, deps),
  },
  {
    name: 'model',
    aliases: [],
    group: 'model',
    usage: '/model [NAME [--global]]',
    summary: 'which model answers here, or everywhere; /model default goes back',
    takesLong: (rest) => /(?:^|\s)--global(?:\s|$)/.test(rest),
    run: async (rest, inbound, deps) => (await import('./model-command.ts')).runModel(rest, inbound, deps),
  },
  {
    name: 'reasoning',
    aliases: ['effort'],
    group: 'model',
    usage: '/reasoning [EFFORT [--global]]',
    summary: 'how hard it thinks here, or everywhere: minimal, low, medium, high or default',
    run: async (rest, inbound, deps) => (await import('./reasoning-command.ts')).runReasoning(rest, inbound, deps),
  },
  {
    name: 'usage',
    aliases: ['cost'],
    group: 'model',
    usage: '/usage [why]',
    summary: 'what this session and this day took; why the last turn was expensive',
    run: async (rest, inbound, deps) => (await import('./usage-command.ts')).runUsage(rest, inbound, deps),
  },
  {
    // Telegram takes no hyphen in a menu.
    name: 'reload_mcp',
    aliases: ['reload-mcp'],
    group: 'program',
    usage: '/reload-mcp',
    summary: 'connect to the MCP servers anew; conversations are read anew once',
    words: 'none',
    takesLong: () => true,
    run: async (_rest, inbound, deps) => (await import('./tool-server-commands.ts')).runReload(inbound, deps),
  },
  {
    name: 'sethome',
    aliases: [],
    group: 'program',
    usage: '/sethome',
    summary: 'tell this chat what belongs to no chat',
    words: 'none',
    run: async (_rest, inbound, deps) => (await import('./program-commands.ts')).runSetHome(inbound, deps),
  },
  {
    name: 'restart',
    aliases: [],
    group: 'program',
    usage: '/restart',
    summary: 'start the gateway again; what is unfinished goes on',
    words: 'none',
    typed: 'in-full',
    run: async (_rest, inbound, deps) => (await import('./program-commands.ts')).runRestart(inbound, deps),
  },
];

/** A text that is a command: a slash and a word. A path such as /etc/hosts is not one. */
export function parseCommand(text: string): Command | undefined {
  const match = /^\/([a-z?][a-z_-]*)(?:\s+([\s\S]*))?$/i.exec(text);
  return match?.[1] === undefined ? undefined : { name: match[1].toLowerCase(), rest: match[2]?.trim() ?? '' };
}

/** A message that says itself what it does while a turn runs: `/queue TEXT`. Undefined for every other command. Pure. */
export function readSaying({ name, rest }: Command): { readonly mode: BusyMode; readonly text: string } | undefined {
  const mode = busyModes.find((each) => each === findCommand(name)?.name);
  return mode === undefined || rest === '' ? undefined : { mode, text: rest };
}

/** Whether something that arrived is a command that asks others. Pure. */
export function takesLong(inbound: Inbound): boolean {
  const command = commandIn(inbound);
  return command !== undefined && findCommand(command.name)?.takesLong?.(command.rest) === true;
}

/** Whether something that arrived stops what runs. Pure. */
export function isStop(inbound: Inbound): boolean {
  const command = commandIn(inbound);
  return command !== undefined && findCommand(command.name)?.name === 'stop';
}

function commandIn(inbound: Inbound): Command | undefined {
  if (inbound.type !== 'message' || inbound.commands === 'none') return undefined;
  return parseCommand(partsToText(inbound.parts).trim());
}

export function createCommandRunner(deps: CommandDeps): CommandRunner {
  return async (command, inbound) => {
    const row = findCommand(command.name);
    if (row === undefined) return describeUnknown(command.name);
    if (row.words === 'none' && command.rest !== '')
      return `Nothing was done: /${command.name} takes no words behind it.\n${usageLine(row)}`;
    return await row.run(command.rest, inbound, deps);
  };
}

/** A command by its name, an alias, or the beginning of exactly one name. */
export function findCommand(name: string): CommandRow | undefined {
  const exact = commandTable.find((row) => row.name === name || row.aliases.includes(name));
  const begun = commandTable.filter((row) => row.name.startsWith(name));
  const [only] = begun.length === 1 ? begun : [];
  return exact ?? (only?.typed === 'in-full' ? undefined : only);
}

function describeUnknown(name: string): string {
  const begun = commandTable.filter((row) => row.name.startsWith(name)).map((row) => `/${row.name}`);
  if (begun.length > 1) return `/${name} can be the beginning of ${begun.join(', ')}. /help lists them all.`;
  const nearest = nearestWord(
    name,
    commandTable.flatMap((row) => [row.name, ...row.aliases]),
  );
  const meant = nearest === undefined ? '' : ` Did you mean /${nearest}?`;
  return `There is no command /${name}.${meant} /help lists them all.`;
}

/** The command that `/help` is asked about; undefined where it is about all of them. Pure. */
export function findHelped(rest: string): CommandRow | undefined {
  return findCommand(rest.replace(/^\//, '').toLowerCase());
}

function describeHelp(rest: string): string {
  const row = findHelped(rest);
  return row === undefined ? describeCommands() : usageLine(row);
}

function usageLine({ usage, summary }: CommandRow): string {
  return `${usage}  ${summary}`;
}

function describeCommands(): string {
  const width = Math.max(...commandTable.map((row) => row.usage.length));
  const byGroup = Object.entries(groups).map(([group, heading]) => {
    const rows = commandTable.filter((row) => row.group === group);
    return [heading, ...rows.map((row) => `  ${row.usage.padEnd(width)}  ${row.summary}`)].join('\n');
  });
  return byGroup.join('\n\n');
}

import type { AgentCache } from '../agents/agent-cache.ts';
import type { Models } from '../agents/models.ts';
import type { Clock } from '../base/clock.ts';
import { shortId } from '../base/ids.ts';
import type { Catalogue } from '../model/catalogue.ts';
import type { Inbound } from '../model/channel.ts';
import type { Session } from '../model/session.ts';
import type { Signals, Store } from '../model/store.ts';
import type { Purpose } from '../model/turn.ts';
import { readCompact } from './compact-command.ts';
import type { Lanes } from './lanes.ts';

export interface Command {
  readonly name: string;
  readonly rest: string;
}

/** What a command comes to: a text that its sender reads, or work that is admitted as a turn. */
export type CommandOutcome = string | Purpose;

export type CommandRunner = (command: Command, inbound: InboundMessage) => Promise<CommandOutcome>;

export interface CommandDeps {
  readonly store: Store;
  readonly lanes: Pick<Lanes, 'isBusy'>;
  readonly signals: Signals;
  readonly agents: Pick<AgentCache, 'close' | 'evictAll'>;
  readonly models: Models;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
}

type InboundMessage = Extract<Inbound, { readonly type: 'message' }>;

export interface CommandRow {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly usage: string;
  readonly summary: string;
  run(rest: string, inbound: InboundMessage, deps: CommandDeps): Promise<CommandOutcome>;
}

/** The one table of slash commands: it serves the terminal, and every menu and help text is made from it. */
export const commandTable: readonly CommandRow[] = [
  {
    name: 'help',
    aliases: ['commands', '?', 'start'],
    usage: '/help',
    summary: 'what can be typed here',
    run: runHelp,
  },
  {
    name: 'new',
    aliases: ['reset', 'clear'],
    usage: '/new',
    summary: 'start a new session; the old one is kept',
    run: runNew,
  },
  { name: 'stop', aliases: [], usage: '/stop', summary: 'stop what is running', run: runStop },
  {
    name: 'status',
    aliases: [],
    usage: '/status',
    summary: 'this session, its model and whether it works',
    run: runStatus,
  },
  {
    name: 'model',
    aliases: [],
    usage: '/model [NAME [--global]]',
    summary: 'which model answers here, or everywhere; /model default goes back',
    run: async (rest, inbound, deps) => (await import('./model-command.ts')).runModel(rest, inbound, deps),
  },
  {
    name: 'reasoning',
    aliases: ['effort'],
    usage: '/reasoning [EFFORT]',
    summary: 'how hard it thinks: minimal, low, medium, high or default',
    run: async (rest, inbound, deps) => (await import('./reasoning-command.ts')).runReasoning(rest, inbound, deps),
  },
  {
    name: 'compact',
    aliases: ['compress'],
    usage: '/compact [FOCUS | undo]',
    summary: 'shorten this conversation for the model; nothing is deleted',
    run: readCompact,
  },
  {
    name: 'usage',
    aliases: ['cost'],
    usage: '/usage [why]',
    summary: 'what this session and this day took; why the last turn was expensive',
    run: async (rest, inbound, deps) => (await import('./usage-command.ts')).runUsage(rest, inbound, deps),
  },
  { name: 'sessions', aliases: [], usage: '/sessions', summary: 'the latest sessions', run: runSessions },
  { name: 'title', aliases: ['name'], usage: '/title TEXT', summary: 'name this session', run: runTitle },
];

const longestTitle = 100;

/** A text that is a command: a slash and a word. A path such as /etc/hosts is not one. */
export function parseCommand(text: string): Command | undefined {
  const match = /^\/([a-z?][a-z_-]*)(?:\s+([\s\S]*))?$/i.exec(text);
  return match?.[1] === undefined ? undefined : { name: match[1].toLowerCase(), rest: match[2]?.trim() ?? '' };
}

export function createCommandRunner(deps: CommandDeps): CommandRunner {
  return async (command, inbound) => {
    const row = findCommand(command.name);
    if (row === undefined) return `There is no command /${command.name}. /help lists them all.`;
    return await row.run(command.rest, inbound, deps);
  };
}

/** A command by its name, an alias, or the beginning of exactly one name. */
export function findCommand(name: string): CommandRow | undefined {
  const exact = commandTable.find((row) => row.name === name || row.aliases.includes(name));
  const begun = commandTable.filter((row) => row.name.startsWith(name));
  return exact ?? (begun.length === 1 ? begun[0] : undefined);
}

function runHelp(): Promise<string> {
  const width = Math.max(...commandTable.map((row) => row.usage.length));
  return Promise.resolve(commandTable.map((row) => `${row.usage.padEnd(width)}  ${row.summary}`).join('\n'));
}

async function runNew(_rest: string, inbound: InboundMessage, deps: CommandDeps): Promise<string> {
  const current = await deps.store.sessions.at(inbound);
  if (deps.lanes.isBusy(current.id)) return 'A turn is running here. /stop it first, then /new.';
  const session = await deps.store.sessions.renew(inbound);
  await deps.agents.close(current.id);
  return `A new session: ${session.id}. The old one is ${current.id}.`;
}

async function runStop(_rest: string, inbound: InboundMessage, deps: CommandDeps): Promise<string> {
  const session = await deps.store.sessions.at(inbound);
  if (!deps.lanes.isBusy(session.id)) return 'Nothing is running.';
  deps.signals.send(session.id, { type: 'stop', by: inbound.person });
  return 'Stopping.';
}

async function runStatus(_rest: string, inbound: InboundMessage, deps: CommandDeps): Promise<string> {
  const session = await deps.store.sessions.at(inbound);
  const work = deps.lanes.isBusy(session.id) ? 'working' : 'idle';
  const lines = [
    `session  ${session.id}${session.title === '' ? '' : ` (${session.title})`}`,
    `model    ${await describeAnswering(session, deps)}`,
    `folder   ${session.workdir}`,
    `state    ${work}`,
  ];
  return lines.join('\n');
}

async function describeAnswering({ settings }: Session, { models }: CommandDeps): Promise<string> {
  const found = await models.find(models.chosenFor(settings));
  if (found.type === 'unusable') return `none: ${found.problem}`;
  return [...new Set(found.chain.map(({ name }) => name))].join(', then ');
}

async function runSessions(_rest: string, _inbound: InboundMessage, deps: CommandDeps): Promise<string> {
  const sessions = await deps.store.sessions.list({ limit: 10, stage: 'begun' });
  const lines = sessions.map(
    (session) => `${shortId(session.id)}  ${session.title === '' ? '(no title)' : session.title}`,
  );
  return `${lines.join('\n')}\nContinue one with: talaria -r ID`;
}

async function runTitle(rest: string, inbound: InboundMessage, deps: CommandDeps): Promise<string> {
  if (rest === '') return 'Say it like this: /title Holiday plans';
  const session = await deps.store.sessions.at(inbound);
  const title = rest.replaceAll(/\s+/g, ' ').slice(0, longestTitle);
  await deps.store.sessions.setTitle(session.id, title);
  return `This session is now called “${title}”.`;
}

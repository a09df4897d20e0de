import { webchatPlatform } from '../model/channel.ts';
import type { Outbound } from '../model/channel.ts';
import type { Session } from '../model/session.ts';
import type { NewSession } from '../model/store.ts';
import type { CommandDeps, InboundMessage } from './command-deps.ts';
import { describePutOff } from './put-off.ts';
import { busyModeOf } from './talk-commands.ts';

const longestTitle = 100;

export async function runNew(where: NewSession, deps: CommandDeps): Promise<string> {
  const current = await deps.store.sessions.at(where);
  if (deps.lanes.isBusy(current.id)) return 'A turn is running here. /stop it first, then /new.';
  const session = await deps.store.sessions.renew(where);
  const ended = await foretellEnds(current, deps);
  // Beside the rest: a program that does not want to end holds up nobody's messages.
  deps.closeBeside(current.id);
  const told = `A new session: ${session.id}. The old one is ${current.id}.`;
  return [told, ...ended, ...(await describePutOff(current, deps.store))].join('\n');
}

/** What a session that is about to be closed has running: whoever leaves it is told, and not again when it has ended. */
async function foretellEnds({ id }: Session, { background }: CommandDeps): Promise<readonly string[]> {
  const { countProcesses, isRunning, nameProcesses } = await import('./shown-processes.ts');
  const running = background.list(id).filter(isRunning);
  if (running.length === 0) return [];
  for (const process of running) background.noteTold(process);
  const verb = running.length === 1 ? 'is' : 'are';
  return [`${countProcesses(running.length)} of the old session ${verb} ended: ${nameProcesses(running)}.`];
}

export async function runStatus(where: NewSession, deps: CommandDeps): Promise<string> {
  const session = await deps.store.sessions.at(where);
  const isYolo = deps.yolo.by(session.id) !== undefined;
  const lines = [
    `session  ${session.id}${session.title === '' ? '' : ` (${session.title})`}`,
    `model    ${await describeAnswering(session, deps)}`,
    `folder   ${session.workdir}`,
    ...(await describeSandbox(session, deps)),
    `state    ${await describeWork(session, deps)}`,
    `busy     ${busyModeOf(session, deps.settings.current.config)}: what a message does while a turn runs`,
    ...(await describeRunning(session, deps)),
    ...(await describeServers(deps)),
    ...(isYolo ? ['yolo     on: calls run without a question'] : []),
    ...describeAllowed(deps.consents.inSession(session.id)),
  ];
  return lines.join('\n');
}

const mostShown = 5;
const longestShown = 160;

function describeAllowed(allowed: readonly string[]): readonly string[] {
  if (allowed.length === 0) return [];
  const [kinds, them] = allowed.length === 1 ? ['1 kind', 'it'] : [`${allowed.length} kinds`, 'them'];
  const more = allowed.length - mostShown;
  const shown = allowed.slice(0, mostShown).map((each) => shorten(each.replaceAll(/\s+/g, ' ')));
  return [
    `allowed  ${kinds} of call in this session (/deny session takes ${them} back):`,
    ...[...shown, ...(more > 0 ? [`… and ${more} more`] : [])].map((each) => `         ${each}`),
  ];
}

function shorten(text: string): string {
  return text.length <= longestShown ? text : `${text.slice(0, longestShown).toWellFormed()}…`;
}

async function describeRunning({ id }: Session, { background }: CommandDeps): Promise<readonly string[]> {
  const { countProcesses, isRunning } = await import('./shown-processes.ts');
  const running = background.list(id).filter(isRunning);
  return running.length === 0 ? [] : [`running  ${countProcesses(running.length)}: see /processes`];
}

/** Where another folder would have one, the setting that names it. */
async function describeSandbox(session: Session, { toolbox }: CommandDeps): Promise<readonly string[]> {
  const { id: sessionId, workdir, address } = session;
  const fence = await toolbox.describeFence({ sessionId, workdir });
  if (fence === undefined) return [];
  const setting = fence.cause === 'folder' ? folderSettings[address.platform] : undefined;
  return [`sandbox  ${fence.text}${setting === undefined ? '' : ` (${setting} names another folder for new chats)`}`];
}

const folderSettings: Readonly<Record<string, string>> = {
  [webchatPlatform]: 'web.workdir',
  telegram: 'telegram.workdir',
};

async function describeServers({ toolServers }: CommandDeps): Promise<readonly string[]> {
  const servers = await toolServers.report();
  if (servers.length === 0) return [];
  const { describeServer } = await import('./tool-server-commands.ts');
  return servers.map((server) => `mcp      ${describeServer(server)}`);
}

async function describeWork({ id, address }: Session, deps: CommandDeps): Promise<string> {
  const { length: unsettled } = await deps.store.turns.unsettled(id);
  const asked = deps.approvals.oldestAt(address) ?? deps.questions.oldestAt(address);
  if (asked === undefined && !deps.lanes.isBusy(id)) return describeIdle(unsettled);
  const work = asked ? describeAsked(asked) : (deps.lanes.waitOf(id) ?? 'working');
  const waiting = unsettled - 1;
  return waiting > 0 ? `${work}; ${waiting} more ${waiting === 1 ? 'waits' : 'wait'}` : work;
}

function describeIdle(putOff: number): string {
  if (putOff === 0) return 'idle';
  const [turns, go] = putOff === 1 ? ['1 turn was', 'it goes'] : [`${putOff} turns were`, 'they go'];
  return `idle; ${turns} put off: ${go} on with your next message, or at the next start`;
}

function describeAsked({ text, about }: Outbound): string {
  const [line = ''] = text.split('\n');
  const what = shorten(line);
  if (about === 'choice') return `waits for your answer: ${what}`;
  return `waits for your ${about === 'act' ? 'consent' : 'answer'} (/approve or /deny): ${what}`;
}

async function describeAnswering({ settings }: Session, { models }: CommandDeps): Promise<string> {
  const found = await models.find(models.chosenFor(settings));
  if (found.type === 'unusable') return `none: ${found.problem}`;
  return [...new Set(found.chain.map(({ name }) => name))].join(', then ');
}

export async function runTitle(rest: string, inbound: InboundMessage, deps: CommandDeps): Promise<string> {
  if (rest === '') return 'Say it like this: /title Holiday plans';
  const session = await deps.store.sessions.at(inbound);
  const wished = rest.replaceAll(/\s+/g, ' ');
  const title = wished.slice(0, longestTitle);
  await deps.store.sessions.setTitle(session.id, title);
  const cut = title === wished ? '' : ` The rest was left out: a name has at most ${longestTitle} characters.`;
  return `This session is now called “${title}”.${cut}`;
}

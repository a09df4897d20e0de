import type { ShownProcess } from '../model/background.ts';
import { isOwnersPlace } from './access.ts';
import type { CommandDeps, CommandOutcome, InboundMessage } from './command-deps.ts';
import {
  chooseShown,
  countProcesses,
  describeStanding,
  describeStopping,
  findProcess,
  isRunning,
} from './shown-processes.ts';

const mostEnded = 5;
const mostLines = 20;
// One message of a chat, with room for what stands above.
const mostShown = 3000;
const usage = 'Say it like this: /processes, /processes show ID, or /processes stop ID.';

/**
 * The background processes of the session at this chat. Whoever may speak there can see what they put out and stop them, as
 * they can stop its turns; those of other sessions are out of reach.
 */
export async function runProcesses(rest: string, inbound: InboundMessage, deps: CommandDeps): Promise<CommandOutcome> {
  const session = await deps.store.sessions.at(inbound);
  const processes = deps.background.list(session.id);
  const [act = '', id = '', ...more] = rest.split(/\s+/);
  if (act === '' || (act === 'list' && id === ''))
    return { type: 'listing', reply: listHere(processes, inbound, deps) };
  const run = acts.get(act.toLowerCase());
  if (run === undefined || id === '' || more.length > 0) return usage;
  const found = findProcess(id, processes);
  switch (found.type) {
    case 'none':
      return `There is no background process ${id} in this conversation. /processes lists them.`;
    case 'several':
      return `Several begin with ${id}: ${found.ids.join(', ')}. Name one of them.`;
    case 'found':
      return await run(found.process, inbound, deps);
  }
}

type Act = (process: ShownProcess, inbound: InboundMessage, deps: CommandDeps) => Promise<string>;

const stop: Act = async (process, { person }, { background, log }) => {
  log.write('info', 'a background process is stopped', { session: process.sessionId, person });
  return describeStopping(await background.stop(process, 'in-its-chat'), process);
};

/** How it stands, and the end of what it has put out. */
const show: Act = async (process, _inbound, { background }) => {
  const output = await background.readEnd(process, mostLines);
  const told = `${process.id}  ${describeStanding(process)}  ${process.command}`;
  return `${told}\n\n${output === '' ? 'It has put out nothing so far.' : keepEnd(output)}`;
};

const acts: ReadonlyMap<string, Act> = new Map([
  ['stop', stop],
  ['kill', stop],
  ['show', show],
]);

function keepEnd(output: string): string {
  return output.length <= mostShown ? output : `…${output.slice(-mostShown).toWellFormed()}`;
}

function listHere(processes: readonly ShownProcess[], { address }: InboundMessage, deps: CommandDeps): string {
  // The owner of the machine looks them up there; what runs for other chats is nobody else's business.
  const elsewhere = isOwnersPlace(address) ? deps.background.list().filter(isRunning).length : 0;
  const others = elsewhere - processes.filter(isRunning).length;
  const lines = chooseShown(processes, mostEnded).map(
    (process) => `${process.id}  ${describeStanding(process)}  ${process.command}`,
  );
  return [
    ...(lines.length === 0 ? ['There are no background processes in this conversation.'] : lines),
    ...(lines.length === 0 ? [] : ['To see what one has put out: /processes show ID']),
    ...(processes.some(isRunning) ? ['To stop one: /processes stop ID'] : []),
    ...(others > 0 ? [`${countProcesses(others)} of other conversations: talaria processes`] : []),
  ].join('\n');
}

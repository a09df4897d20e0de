import type { ToolOutcome } from '../model/message.ts';
import { integer, object, oneOf, optional, string } from '../model/schema.ts';
import type { ValueOf } from '../model/schema.ts';
import type { Footprint, Risk, Tool, ToolContext, ToolPlace } from '../model/tool.ts';
import type { BackgroundProcesses } from './processes/background-processes.ts';
import { nameCommand } from './processes/describe-process.ts';
import type { ProcessActionDeps } from './processes/process-actions.ts';
import { failed, settle, spellOut } from './tool-outcomes.ts';

export interface ProcessDeps extends ProcessActionDeps {
  readonly processes: BackgroundProcesses;
  /** What a text would do if the process were a shell. */
  readonly judgeText: (text: string, place: ToolPlace) => Promise<Risk>;
}

const longestWaitSeconds = 600;
const mostLines = 2000;
const longestTextBytes = 60_000;

const inputSchema = object({
  action: oneOf(['list', 'read', 'write', 'close', 'wait', 'kill'], 'close ends its stdin'),
  id: optional(string('proc_…; not for list')),
  text: optional(string('to write; Enter is \\n')),
  lines: optional(integer('last lines to read; default 100')),
  offset: optional(integer('read on from this byte instead')),
  timeout: optional(integer('seconds to wait; default 60, at most 600')),
});

export type ProcessInput = ValueOf<typeof inputSchema>;

/** The background processes that `terminal` started in this session. */
export function createProcess(deps: ProcessDeps): Tool<ProcessInput> {
  return {
    name: 'process',
    toolset: 'terminal',
    description:
      'Look after the background processes that terminal started in this conversation. You are told when one ends; there is no need to poll.',
    input: inputSchema,
    effect: 'unsafe',
    assess: (input, place) => assess(input, place, deps),
    footprint: (): Footprint => ({ type: 'anything' }),
    run: (input, context) => settle(context.signal, () => run(input, context, deps)),
    verify: () => Promise.resolve('unknown'),
    recover: (input, context) => recover(input, context, deps),
  };
}

/** What a process reads may be commands, so that it is agreed to like a command. */
async function assess(input: ProcessInput, place: ToolPlace, deps: ProcessDeps): Promise<Risk> {
  const problem = findProblem(input);
  if (problem !== undefined) return { type: 'forbidden', reason: problem, is: 'mistake' };
  const { action, id = '', text = '' } = input;
  const account = action === 'write' ? deps.processes.find(place.sessionId, id)?.account() : undefined;
  if (account === undefined) return { type: 'safe' };
  const risk = await deps.judgeText(text, place);
  if (risk.type === 'forbidden') return risk;
  // What is shut in does no more with what it reads than with what it finds there.
  if (account.place === 'inside') return { type: 'safe', within: 'sandbox' };
  // The last line is ours, whatever is written.
  return { type: 'ask', question: `${spellOut(text)}\nwritten to ${id}: ${nameCommand(account.command)}` };
}

async function run(input: ProcessInput, context: ToolContext, deps: ProcessDeps): Promise<ToolOutcome> {
  const problem = findProblem(input);
  if (problem !== undefined) return failed(problem);
  const actions = await import('./processes/process-actions.ts');
  const { action, id = '', text = '', lines, offset, timeout } = input;
  if (action === 'list') return actions.listProcesses(context.sessionId, deps);
  const ticket = deps.processes.find(context.sessionId, id);
  if (ticket === undefined) return failed(`there is no process ${id} in this conversation; list shows those there are`);
  switch (action) {
    case 'read':
      return await actions.readProcess(ticket, { lines, offset });
    case 'write':
      return await actions.writeToProcess(ticket, text, context.signal);
    case 'close':
      return actions.closeInput(ticket);
    case 'wait':
      return await actions.awaitProcess(ticket, timeout, context, deps);
    case 'kill':
      return await actions.killProcess(ticket, context.sessionId, deps);
  }
}

/** What was written is not written again; all else comes to the same the second time. */
async function recover(input: ProcessInput, context: ToolContext, deps: ProcessDeps): Promise<ToolOutcome | undefined> {
  return input.action === 'write' ? undefined : await settle(context.signal, () => run(input, context, deps));
}

function findProblem({ action, id, text, lines, offset, timeout }: ProcessInput): string | undefined {
  if (action !== 'list' && id === undefined) return `${action} needs the id of a process; list shows them`;
  if (action === 'write' && (text ?? '') === '') return 'write needs a text';
  if (Buffer.byteLength(text ?? '') > longestTextBytes) return 'the text is too long for one call; write it in pieces';
  if (lines !== undefined && (lines < 1 || lines > mostLines)) return `lines is from 1 to ${mostLines}`;
  if (offset !== undefined && offset < 0) return 'offset counts from 0';
  if (timeout !== undefined && (timeout < 1 || timeout > longestWaitSeconds)) {
    return `timeout is from 1 to ${longestWaitSeconds} seconds`;
  }
  return undefined;
}

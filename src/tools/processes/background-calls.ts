import type { SessionId } from '../../base/ids.ts';
import { systemClock } from '../../base/clock.ts';
import type { ToolOutcome } from '../../model/message.ts';
import type { ToolContext } from '../../model/tool.ts';
import type { Enclosure } from '../shell/enclosure.ts';
import { findBash } from '../shell/find-bash.ts';
import { describeProcess, isOfThisBoot } from '../shell/process-group.ts';
import { sessionVariable } from '../shell/running-commands.ts';
import { done, failed } from '../tool-outcomes.ts';
import { mostRunning } from './background-processes.ts';
import type { BackgroundProcesses } from './background-processes.ts';
import type { ProcessEndings } from './process-endings.ts';
import { writeEnclosedRequest, writeRequest, writeVariables } from './process-request.ts';
import type { ProcessTicket } from './process-ticket.ts';
import { startSupervisor } from './start-supervisor.ts';

export interface BackgroundDeps {
  readonly processes: BackgroundProcesses;
  readonly endings: ProcessEndings;
  readonly environment: Readonly<Record<string, string>>;
}

export interface BackgroundRequest {
  readonly command: string;
  readonly workdir: string;
  /** What the session's last command left for this one. */
  readonly stateFile: string;
  readonly terminal: 'none' | 'pty';
  /** Left out: it runs in the system as it is. */
  readonly enclosing?: Enclosing;
}

export interface Enclosing {
  readonly enclose: (requestFile: string) => Enclosure;
  /** What the model is to know about what was started so. */
  readonly note: string;
}

/** Starts a background process; the same call never starts a second one. Resolves as soon as it runs. */
export async function startProcess(
  request: BackgroundRequest,
  { sessionId, idempotencyKey }: ToolContext,
  deps: BackgroundDeps,
): Promise<ToolOutcome> {
  const { processes, endings, environment } = deps;
  processes.sweep(sessionId);
  if (processes.running(sessionId).length >= mostRunning) {
    return failed(`${mostRunning} background processes are running, which is the most; kill one that is not needed`);
  }
  const ticket = processes.ofCall(sessionId, idempotencyKey);
  const bash = findBash(environment['PATH'] ?? '');
  if (!createTicket(ticket, { ...request, bash }, sessionId, deps)) {
    return failed('this call was begun before, and does not run a second time');
  }
  const { enclosing } = request;
  // An enclosed process makes its own.
  const terminal = enclosing === undefined ? request.terminal : 'none';
  const supervised = await startSupervisor({ bash, environment, folder: ticket.folder, terminal });
  if (supervised.type === 'not-begun') {
    if (ticket.revoke()) ticket.remove();
    return failed(`the process could not be started: ${supervised.reason}`);
  }
  endings.watch(sessionId, ticket);
  return begun(ticket, enclosing?.note);
}

function createTicket(
  ticket: ProcessTicket,
  { command, workdir, stateFile, terminal, enclosing, bash }: BackgroundRequest & { readonly bash: string },
  sessionId: SessionId,
  { processes, environment }: BackgroundDeps,
): boolean {
  const itself = processes.variableOf(sessionId, ticket);
  const account = {
    command,
    workdir,
    terminal,
    place: enclosing === undefined ? 'outside' : 'inside',
    startedAtMs: systemClock.now(),
    starter: describeProcess(process.pid),
  } as const;
  const options = { command, workdir, stateFile, terminal, shell: environment['SHELL'] };
  const enclosure = enclosing?.enclose(ticket.insideFile);
  const requests = enclosure ? writeEnclosedRequest(options, enclosure, bash) : { request: writeRequest(options) };
  const variables = writeVariables({ [sessionVariable]: sessionId, [itself.name]: itself.value });
  return ticket.create(account, { ...requests, variables });
}

/** What became of a start that an earlier run of the program had begun; undefined where that cannot be known. */
export function recoverStart(
  { sessionId, idempotencyKey }: ToolContext,
  deps: BackgroundDeps,
): ToolOutcome | undefined {
  const ticket = deps.processes.ofCall(sessionId, idempotencyKey);
  const account = ticket.account();
  if (account === undefined) return undefined;
  // After a loss of power, what is missing on the disk proves nothing.
  if (!isOfThisBoot(account.starter) || !ticket.revoke()) return begun(ticket);
  ticket.remove();
  return failed('the program ended before this process was begun; it has not run');
}

function begun({ id }: ProcessTicket, note?: string): ToolOutcome {
  return done(`Started ${id}. It runs on by itself; you are told when it ends.${note === undefined ? '' : ` ${note}`}`);
}

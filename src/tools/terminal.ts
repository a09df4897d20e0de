import { statSync } from 'node:fs';
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import { keyMark } from '../base/redact.ts';
import type { ToolOutcome } from '../model/message.ts';
import { boolean, integer, object, optional, string } from '../model/schema.ts';
import type { ValueOf } from '../model/schema.ts';
import type { AbortCause } from '../model/turn.ts';
import type { Risk, Tool, ToolContext, ToolPlace } from '../model/tool.ts';
import type { recoverStart as RecoverStart, startProcess as StartProcess } from './processes/background-calls.ts';
import type { BackgroundProcesses } from './processes/background-processes.ts';
import type { ProcessEndings } from './processes/process-endings.ts';
import type { assessCommand as AssessCommand, CommandRisk } from './shell/assess-command.ts';
import type { BashSyntax } from './shell/bash-syntax.ts';
import type { CallTicket } from './shell/call-ticket.ts';
import type { CallTickets } from './shell/call-tickets.ts';
import type {
  awaitCommand as AwaitCommand,
  CommandDeps,
  CommandRequest,
  CommandResult,
  runCommand as RunCommand,
} from './shell/run-command.ts';
import type { isOfThisBoot as IsOfThisBoot } from './shell/process-group.ts';
import type { Runners } from './shell/runners.ts';
import { sessionVariable } from './shell/running-commands.ts';
import type { RunningCommands } from './shell/running-commands.ts';
import type { findStanding as FindStanding } from './shell/standing-command.ts';
import type { isSystemProgram as IsSystemProgram } from './shell/system-program.ts';
import { markedText } from './files/write-guard.ts';
import type { TaskState } from './task-state.ts';
import { done, failed, settle, spellOut, spellOutLine } from './tool-outcomes.ts';
import type { Workspace } from './workspace.ts';

export interface TerminalDeps {
  readonly state: TaskState;
  readonly workspace: Workspace;
  readonly running: RunningCommands;
  readonly tickets: CallTickets;
  readonly processes: BackgroundProcesses;
  readonly endings: ProcessEndings;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

const longestTimeoutSeconds = 600;
// Linux takes at most 128 KiB in one argument.
const longestCommandBytes = 120_000;
const lastSeenLength = 500;

const inputSchema = object({
  command: string('bash command', { minLength: 1 }),
  timeout: optional(integer('seconds, at most 600')),
  workdir: optional(string('folder to run in; default: where the last command ended')),
  background: optional(boolean('return an id at once, for process; no timeout')),
  pty: optional(boolean('in the background: give it a terminal')),
});

type TerminalInput = ValueOf<typeof inputSchema>;

/** A command as the model calls for it with nothing else. */
export function toInput(command: string): TerminalInput {
  return { command, timeout: undefined, workdir: undefined, background: undefined, pty: undefined };
}

/** The shell. Folder and exported variables outlive a command; the process does not. */
export function createTerminal(deps: TerminalDeps): Tool<TerminalInput> {
  const commands = new TerminalCommands(deps);
  return {
    name: 'terminal',
    toolset: 'terminal',
    description:
      'Run a bash command. The current folder and exported variables persist between calls; stdin is empty. Servers and long work go to the background. Output over 50,000 characters loses its middle. Prefer the file tools for reading, writing and searching files.',
    input: inputSchema,
    effect: 'unsafe',
    assess: (input, place) => commands.assess(input, place),
    footprint: () => ({ type: 'anything' }),
    run: (input, context) => settle(context.signal, () => commands.run(input, context)),
    verify: () => Promise.resolve('unknown'),
    recover: (input, context) => commands.recover(input, context),
  };
}

/** What it takes to run a command is loaded with the first one, not with the program. */
class TerminalCommands {
  readonly #deps: TerminalDeps;
  #judgement: Promise<LoadedJudgement> | undefined;
  #shell: Promise<LoadedShell> | undefined;

  constructor(deps: TerminalDeps) {
    this.#deps = deps;
  }

  async assess(input: TerminalInput, place: ToolPlace): Promise<Risk> {
    const problem = findProblem(input);
    if (problem !== undefined) return { type: 'forbidden', reason: problem };
    const folder = this.#startFolder(input, place);
    const { assessCommand, findStanding, syntax } = await (this.#judgement ??= loadJudgement());
    const risk = assessCommand(input.command, { home: this.#deps.workspace.userHome, folder }, syntax);
    if (risk.type === 'forbidden') return risk;
    const doubt = risk.type === 'safe' ? await this.#doubtRead(risk, folder, place) : risk.why;
    if (typeof doubt !== 'string') return doubt;
    // The last line is ours, whatever the command and the folder are called.
    const manner = isBackground(input) ? 'in the background' : undefined;
    const question = `${spellOut(input.command)}\nin ${spellOutLine(folder)}${manner === undefined ? '' : `, ${manner}`}`;
    const words = risk.type === 'ask' ? risk.words : undefined;
    const { workdir, sessionId } = place;
    const given = { ...this.#deps.environment, [sessionVariable]: sessionId };
    const environment = this.#deps.state.environmentOf(sessionId, given);
    const { command } = input;
    const standing = findStanding({ command, words, folder, workdir, path: this.#pathOf(place), environment, manner });
    return { type: 'ask', question, why: doubt, standing };
  }

  /** What is to be said of a plain read: it is safe, it is forbidden, or why it is asked about. */
  async #doubtRead(
    { paths, program }: Extract<CommandRisk, { readonly type: 'safe' }>,
    folder: string,
    place: ToolPlace,
  ): Promise<Exclude<Risk, { readonly type: 'ask' }> | string> {
    const { isSystemProgram } = await (this.#judgement ??= loadJudgement());
    const located = paths.map((path) => this.#deps.workspace.locate(path, place, folder));
    const reads = located.map((path) => this.#deps.workspace.judgeRead(path));
    const secret = reads.find((read) => read.type === 'forbidden');
    if (secret !== undefined) return secret;
    if (reads.some((read) => read.type !== 'safe')) return 'it reads what may log you in somewhere';
    if (located.some((path) => /^\/(?:dev|proc|sys)(?:\/|$)/.test(path))) return 'it reads from the machine itself';
    if (!isSystemProgram(program, this.#pathOf(place))) return `${program} is not the program of the system here`;
    return { type: 'safe' };
  }

  #pathOf({ sessionId }: ToolPlace): string {
    return this.#deps.state.exported(sessionId, 'PATH') ?? this.#deps.environment['PATH'] ?? '';
  }

  #startFolder(input: TerminalInput, place: ToolPlace): string {
    if (input.workdir === undefined) return this.#deps.state.currentFolder(place);
    return this.#deps.workspace.locate(input.workdir, place);
  }

  async run(input: TerminalInput, context: ToolContext): Promise<ToolOutcome> {
    const { state, environment, tickets } = this.#deps;
    const problem = findProblem(input);
    if (problem !== undefined) return failed(problem);
    const folder = this.#startFolder(input, context);
    if (input.workdir !== undefined && !isFolder(folder)) return failed(`workdir: there is no folder ${folder}`);
    if (isBackground(input)) return await this.#start(input, folder, context);
    const { runCommand, runners, bash } = await (this.#shell ??= this.#loadShell());
    const request: CommandRequest = {
      bash,
      folder: state.folder,
      environment,
      command: input.command,
      workdir: folder,
      stateFile: state.fileOf(context.sessionId),
      session: { name: sessionVariable, value: context.sessionId },
      timeoutMs: this.#timeoutMs(input),
    };
    const recorded = input.workdir === undefined ? state.recordedFolder(context) : folder;
    const ticket = tickets.hold(context.sessionId, context.idempotencyKey);
    try {
      const result = await runCommand(request, runners, this.#commandDeps(ticket, context));
      // Bash may have moved, as an update of the system can make it: the next command looks for it again.
      if (result.ending.type === 'not-started') this.#shell = undefined;
      return await describeResult(result, { ...request, recorded });
    } finally {
      tickets.letGo(ticket);
    }
  }

  async #start(input: TerminalInput, workdir: string, context: ToolContext): Promise<ToolOutcome> {
    const { startProcess } = await loadBackground();
    const { command, pty } = input;
    const stateFile = this.#deps.state.fileOf(context.sessionId);
    const terminal = pty === true ? 'pty' : 'none';
    return await startProcess({ command, workdir, stateFile, terminal }, context, this.#deps);
  }

  /** What became of a command that an earlier start of the program had begun. Waits for one that still runs. */
  async recover(input: TerminalInput, context: ToolContext): Promise<ToolOutcome | undefined> {
    const { state, tickets } = this.#deps;
    if (isBackground(input)) return (await loadBackground()).recoverStart(context, this.#deps);
    const ticket = tickets.hold(context.sessionId, context.idempotencyKey);
    try {
      const runner = ticket.runner();
      if (runner === undefined) return undefined;
      const { awaitCommand, isOfThisBoot } = await (this.#shell ??= this.#loadShell());
      // After a loss of power, what is missing on the disk proves nothing.
      if (isOfThisBoot(runner) && ticket.revoke()) {
        return failed('the program ended before this command was begun; it has not run');
      }
      const timeoutMs = this.#timeoutMs(input);
      const result = await awaitCommand(runner, timeoutMs, this.#commandDeps(ticket, context));
      const folder = state.recordedFolder(context);
      return await describeResult(result, { command: input.command, workdir: folder, recorded: folder, timeoutMs });
    } finally {
      tickets.letGo(ticket);
    }
  }

  #timeoutMs({ timeout }: TerminalInput): number {
    return timeout === undefined ? this.#deps.timeoutMs : timeout * 1000;
  }

  #commandDeps(ticket: CallTicket, { sessionId, signal, progress }: ToolContext): CommandDeps {
    const { state, clock, running, tickets } = this.#deps;
    return {
      ticket,
      clock,
      signal,
      isLeaving: () => isShutdown(signal),
      progress,
      track: (shell) => {
        running.track(sessionId, shell);
        // While the command runs, so that nobody waits for it.
        tickets.sweep(sessionId);
      },
      keep: (left) => state.keep(sessionId, left),
    };
  }

  async #loadShell(): Promise<LoadedShell> {
    const { findBash } = await import('./shell/find-bash.ts');
    const { awaitCommand, runCommand } = await import('./shell/run-command.ts');
    const { isOfThisBoot } = await import('./shell/process-group.ts');
    const { Runners } = await import('./shell/runners.ts');
    const bash = findBash(this.#deps.environment['PATH'] ?? '');
    return { awaitCommand, isOfThisBoot, runCommand, runners: new Runners(), bash };
  }
}

interface LoadedJudgement {
  readonly isSystemProgram: typeof IsSystemProgram;
  readonly assessCommand: typeof AssessCommand;
  readonly findStanding: typeof FindStanding;
  readonly syntax: BashSyntax;
}

async function loadJudgement(): Promise<LoadedJudgement> {
  const [{ assessCommand }, { loadBashSyntax }, { isSystemProgram }, { findStanding }] = await Promise.all([
    import('./shell/assess-command.ts'),
    import('./shell/bash-syntax.ts'),
    import('./shell/system-program.ts'),
    import('./shell/standing-command.ts'),
  ]);
  return { assessCommand, findStanding, isSystemProgram, syntax: await loadBashSyntax() };
}

interface LoadedBackground {
  readonly startProcess: typeof StartProcess;
  readonly recoverStart: typeof RecoverStart;
}

async function loadBackground(): Promise<LoadedBackground> {
  return await import('./processes/background-calls.ts');
}

interface LoadedShell {
  readonly awaitCommand: typeof AwaitCommand;
  readonly isOfThisBoot: typeof IsOfThisBoot;
  readonly runners: Runners;
  readonly runCommand: typeof RunCommand;
  readonly bash: string;
}

/** The program is ending; nobody decided about the command. It runs on, and the next start looks up what became of it. */
function isShutdown(signal: AbortSignal): boolean {
  return signal.aborted && (signal.reason as AbortCause | undefined)?.type === 'shutdown';
}

function isBackground({ background }: TerminalInput): boolean {
  return background === true;
}

function findProblem(input: TerminalInput): string | undefined {
  if (input.command.includes('\0')) return 'the command contains a NUL character';
  if (input.command.includes(keyMark)) return markedText;
  if (Buffer.byteLength(input.command) > longestCommandBytes) {
    return 'the command is too long for one call; put long content into a file with write_file and use that';
  }
  const { timeout } = input;
  if (input.pty === true && !isBackground(input)) return 'a pty is for background processes; set background, too';
  if (timeout !== undefined && isBackground(input)) return 'a background process has no timeout; leave it out';
  if (timeout !== undefined && timeout < 1) return 'timeout must be at least 1 second';
  if (timeout !== undefined && timeout > longestTimeoutSeconds) {
    return `timeout is at most ${longestTimeoutSeconds} seconds; start longer work with background and look after it with process`;
  }
  return undefined;
}

/** What there is to say about a command beside its result. */
interface CommandAccount {
  readonly command: string;
  readonly workdir: string;
  /** Where it would have run if the folder were still there. */
  readonly recorded: string;
  readonly timeoutMs: number;
}

async function describeResult(result: CommandResult, account: CommandAccount): Promise<ToolOutcome> {
  const { ending } = result;
  if (ending.type === 'not-started') return failed(`the command could not be started: ${describeError(ending.error)}`);
  if (ending.type === 'left') return { type: 'interrupted' };
  if (ending.type === 'stopped' && result.output === '') return { type: 'interrupted' };
  const output = result.output.replace(/\n+$/, '');
  if (ending.type === 'lost') return { type: 'unknown', lastSeen: describeLoss(output) };
  const { workdir, recorded } = account;
  const notes: string[] = [];
  if (recorded !== workdir) notes.push(`[the folder ${recorded} is gone; this ran in ${workdir}]`);
  if (result.isCut) notes.push('[a part of the output could not be kept]');
  if (result.lostState !== undefined) notes.push(`[folder and variables were not kept: ${result.lostState}]`);
  if (ending.type === 'timed-out') notes.push(`[timed out after ${account.timeoutMs / 1000} s]`, '[exit code 124]');
  if (ending.type === 'stopped') notes.push('[stopped by the user, exit code 130]');
  if (ending.type === 'exited' && ending.code !== 0) notes.push(await describeExit(account.command, ending.code));
  if (output === '' && notes.length === 0) return done('[no output]');
  return done([...(output === '' ? [] : [output]), ...notes].join('\n'));
}

function describeLoss(output: string): string {
  const begun = 'terminal had started, and what waited for it has died';
  return output === '' ? begun : `${begun}; the end of its output: ${output.slice(-lastSeenLength).toWellFormed()}`;
}

async function describeExit(command: string, code: number): Promise<string> {
  const { explainExit } = await import('./shell/explain-exit.ts');
  const meaning = await explainExit(command, code);
  return meaning === undefined ? `[exit code ${code}]` : `[exit code ${code}: ${meaning}]`;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

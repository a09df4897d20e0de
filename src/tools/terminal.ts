import { statSync } from 'node:fs';
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { ToolOutcome } from '../model/message.ts';
import { integer, object, optional, string } from '../model/schema.ts';
import type { ValueOf } from '../model/schema.ts';
import type { AbortCause } from '../model/turn.ts';
import type { Risk, Tool, ToolContext, ToolPlace } from '../model/tool.ts';
import type { assessCommand as AssessCommand } from './shell/assess-command.ts';
import type { BashSyntax } from './shell/bash-syntax.ts';
import type { CommandRequest, CommandResult, runCommand as RunCommand } from './shell/run-command.ts';
import { sessionVariable } from './shell/running-commands.ts';
import type { RunningCommands } from './shell/running-commands.ts';
import type { isSystemProgram as IsSystemProgram } from './shell/system-program.ts';
import type { TaskState } from './task-state.ts';
import { done, failed, settle, spellOut } from './tool-outcomes.ts';
import type { Workspace } from './workspace.ts';

export interface TerminalDeps {
  readonly state: TaskState;
  readonly workspace: Workspace;
  readonly running: RunningCommands;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

const longestTimeoutSeconds = 600;
// Linux takes at most 128 KiB in one argument.
const longestCommandBytes = 120_000;

const inputSchema = object({
  command: string('bash command', { minLength: 1 }),
  timeout: optional(integer('seconds, at most 600')),
  workdir: optional(string('folder to run in; default: where the last command ended')),
});

type TerminalInput = ValueOf<typeof inputSchema>;

/** The shell. Folder and exported variables outlive a command; the process does not. */
export function createTerminal(deps: TerminalDeps): Tool<TerminalInput> {
  const commands = new TerminalCommands(deps);
  return {
    name: 'terminal',
    description:
      'Run a bash command. The current folder and exported variables persist between calls; stdin is empty. Output over 50,000 characters loses its middle. Prefer the file tools for reading, writing and searching files.',
    input: inputSchema,
    effect: 'unsafe',
    assess: (input, place) => commands.assess(input, place),
    footprint: () => ({ type: 'anything' }),
    run: (input, context) => settle(context.signal, () => commands.run(input, context)),
    verify: () => Promise.resolve('unknown'),
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
    const { assessCommand, isSystemProgram, syntax } = await (this.#judgement ??= loadJudgement());
    const risk = assessCommand(input.command, { home: this.#deps.workspace.userHome, folder }, syntax);
    if (risk.type === 'forbidden') return risk;
    if (risk.type === 'safe') {
      const paths = risk.paths.map((path) => this.#deps.workspace.locate(path, place, folder));
      const secret = paths.map((path) => this.#deps.workspace.judgeRead(path)).find((read) => read.type !== 'safe');
      if (secret !== undefined) return secret;
      const isOrdinary = !paths.some((path) => /^\/(?:dev|proc|sys)(?:\/|$)/.test(path));
      if (isOrdinary && isSystemProgram(risk.program, this.#pathOf(place))) return { type: 'safe' };
    }
    // The last line is ours, whatever the command and the folder are called.
    const where = spellOut(folder).replaceAll('\n', '\\u{a}');
    return { type: 'ask', question: `${spellOut(input.command)}\nin ${where}` };
  }

  #pathOf({ sessionId }: ToolPlace): string {
    return this.#deps.state.exported(sessionId, 'PATH') ?? this.#deps.environment['PATH'] ?? '';
  }

  #startFolder(input: TerminalInput, place: ToolPlace): string {
    if (input.workdir === undefined) return this.#deps.state.currentFolder(place);
    return this.#deps.workspace.locate(input.workdir, place);
  }

  async run(input: TerminalInput, context: ToolContext): Promise<ToolOutcome> {
    const { state, environment, clock, running } = this.#deps;
    const problem = findProblem(input);
    if (problem !== undefined) return failed(problem);
    const folder = this.#startFolder(input, context);
    if (input.workdir !== undefined && !isFolder(folder)) return failed(`workdir: there is no folder ${folder}`);
    const { runCommand, bash } = await (this.#shell ??= this.#loadShell());
    const request: CommandRequest = {
      bash,
      command: input.command,
      folder,
      stateFile: state.fileOf(context.sessionId),
      environment: { ...environment, [sessionVariable]: context.sessionId },
      timeoutMs: input.timeout === undefined ? this.#deps.timeoutMs : input.timeout * 1000,
    };
    const lost = input.workdir === undefined ? state.recordedFolder(context) : folder;
    state.begin(context.sessionId);
    const result = await runCommand(request, {
      clock,
      signal: context.signal,
      progress: context.progress,
      track: (shell) => running.track(context.sessionId, shell),
      keep: (left) => state.keep(context.sessionId, left),
    });
    // Bash may have moved, as an update of the system can make it: the next command looks for it again.
    if (result.ending.type === 'not-started') this.#shell = undefined;
    if (result.ending.type === 'stopped' && isShutdown(context.signal)) return { type: 'interrupted' };
    return await describeResult(result, request, lost);
  }

  async #loadShell(): Promise<LoadedShell> {
    const { findBash } = await import('./shell/find-bash.ts');
    const { runCommand } = await import('./shell/run-command.ts');
    return { runCommand, bash: findBash(this.#deps.environment['PATH'] ?? '') };
  }
}

interface LoadedJudgement {
  readonly isSystemProgram: typeof IsSystemProgram;
  readonly assessCommand: typeof AssessCommand;
  readonly syntax: BashSyntax;
}

async function loadJudgement(): Promise<LoadedJudgement> {
  const [{ assessCommand }, { loadBashSyntax }, { isSystemProgram }] = await Promise.all([
    import('./shell/assess-command.ts'),
    import('./shell/bash-syntax.ts'),
    import('./shell/system-program.ts'),
  ]);
  return { assessCommand, isSystemProgram, syntax: await loadBashSyntax() };
}

interface LoadedShell {
  readonly runCommand: typeof RunCommand;
  readonly bash: string;
}

/** The program is ending; nobody decided about the command, and what it did is to be found out at the next start. */
function isShutdown(signal: AbortSignal): boolean {
  return signal.aborted && (signal.reason as AbortCause | undefined)?.type === 'shutdown';
}

function findProblem(input: TerminalInput): string | undefined {
  if (input.command.includes('\0')) return 'the command contains a NUL character';
  if (Buffer.byteLength(input.command) > longestCommandBytes) {
    return 'the command is too long for one call; put long content into a file with write_file and use that';
  }
  const { timeout } = input;
  if (timeout !== undefined && timeout < 1) return 'timeout must be at least 1 second';
  if (timeout !== undefined && timeout > longestTimeoutSeconds) {
    return `timeout is at most ${longestTimeoutSeconds} seconds; start longer work in the background with its output in a file (nohup … > log 2>&1 &) and look at the file later`;
  }
  return undefined;
}

async function describeResult(result: CommandResult, request: CommandRequest, recorded: string): Promise<ToolOutcome> {
  const { ending } = result;
  if (ending.type === 'not-started') return failed(`bash could not be started: ${describeError(ending.error)}`);
  if (ending.type === 'stopped' && result.output === '') return { type: 'interrupted' };
  const notes: string[] = [];
  if (recorded !== request.folder) notes.push(`[the folder ${recorded} is gone; this ran in ${request.folder}]`);
  if (result.lostState !== undefined) notes.push(`[folder and variables were not kept: ${result.lostState}]`);
  if (ending.type === 'timed-out') notes.push(`[timed out after ${request.timeoutMs / 1000} s]`, '[exit code 124]');
  if (ending.type === 'stopped') notes.push('[stopped by the user, exit code 130]');
  if (ending.type === 'exited' && ending.code !== 0) notes.push(await describeExit(request.command, ending.code));
  const output = result.output.replace(/\n+$/, '');
  if (output === '' && notes.length === 0) return done('[no output]');
  return done([...(output === '' ? [] : [output]), ...notes].join('\n'));
}

async function describeExit(command: string, code: number): Promise<string> {
  const { explainExit } = await import('./shell/explain-exit.ts');
  const meaning = await explainExit(command, code);
  return meaning === undefined ? `[exit code ${code}]` : `[exit code ${code}: ${meaning}]`;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

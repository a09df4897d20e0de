import { mkdirSync, statSync } from 'node:fs';
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { ToolOutcome } from '../model/message.ts';
import { integer, object, optional, string } from '../model/schema.ts';
import type { ValueOf } from '../model/schema.ts';
import type { Risk, Tool, ToolContext, ToolPlace } from '../model/tool.ts';
import type { CommandRequest, CommandResult } from './shell/run-command.ts';
import { sessionVariable } from './shell/running-commands.ts';
import type { RunningCommands } from './shell/running-commands.ts';
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

/** Counts the commands of this process, so that each leaves its state under a name of its own. */
class TerminalCommands {
  readonly #deps: TerminalDeps;
  #count = 0;

  constructor(deps: TerminalDeps) {
    this.#deps = deps;
  }

  async assess(input: TerminalInput, place: ToolPlace): Promise<Risk> {
    const problem = findProblem(input);
    if (problem !== undefined) return { type: 'forbidden', reason: problem };
    const folder = this.#startFolder(input, place);
    const { assessCommand } = await import('./shell/assess-command.ts');
    const risk = assessCommand(input.command, { home: this.#deps.workspace.userHome, folder });
    if (risk.type === 'forbidden') return risk;
    if (risk.type === 'safe') {
      const paths = risk.paths.map((path) => this.#deps.workspace.locate(path, place, folder));
      const secret = paths.map((path) => this.#deps.workspace.judgeRead(path)).find((read) => read.type !== 'safe');
      if (secret !== undefined) return secret;
      const { isBareRepository } = await import('./shell/bare-repository.ts');
      const isOrdinary = !paths.some((path) => /^\/(?:dev|proc|sys)(?:\/|$)/.test(path));
      if (isOrdinary && (risk.program !== 'git' || !isBareRepository(folder))) return { type: 'safe' };
    }
    const where = input.workdir === undefined ? '' : `\n[in ${folder}]`;
    return { type: 'ask', question: spellOut(`${input.command}${where}`) };
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
    const taskFolder = state.folderOf(context.sessionId);
    mkdirSync(taskFolder, { recursive: true, mode: 0o700 });
    this.#count += 1;
    const request: CommandRequest = {
      command: input.command,
      folder,
      environment: { ...environment, [sessionVariable]: context.sessionId },
      timeoutMs: input.timeout === undefined ? this.#deps.timeoutMs : input.timeout * 1000,
      left: { folder: taskFolder, stamp: `${process.pid}-${this.#count}` },
    };
    const lost = input.workdir === undefined ? state.recordedFolder(context) : folder;
    const { runCommand } = await import('./shell/run-command.ts');
    const result = await runCommand(request, {
      clock,
      signal: context.signal,
      progress: context.progress,
      track: (shell) => running.track(context.sessionId, shell),
    });
    return await describeResult(result, request, lost);
  }
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
  const meaning = explainExit(command, code);
  return meaning === undefined ? `[exit code ${code}]` : `[exit code ${code}: ${meaning}]`;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

import type { Clock } from '../base/clock.ts';
import type { SessionId } from '../base/ids.ts';
import type { ToolOutcome } from '../model/message.ts';
import type { AbortCause } from '../model/turn.ts';
import type { Risk, Tool, ToolContext, ToolPlace } from '../model/tool.ts';
import type { SandboxSettings } from '../model/terminal-settings.ts';
import { isFolder } from './is-folder.ts';
import type { recoverStart as RecoverStart, startProcess as StartProcess } from './processes/background-calls.ts';
import type { BackgroundProcesses } from './processes/background-processes.ts';
import type { ProcessEndings } from './processes/process-endings.ts';
import type { assessCommand as AssessCommand, CommandRisk } from './shell/assess-command.ts';
import type { BashSyntax } from './shell/bash-syntax.ts';
import type { judgeReads as JudgeReads, Verdict } from './shell/judge-reads.ts';
import type { CallTicket, LeftState } from './shell/call-ticket.ts';
import type { CallTickets } from './shell/call-tickets.ts';
import type {
  awaitCommand as AwaitCommand,
  CommandDeps,
  CommandRequest,
  runCommand as RunCommand,
} from './shell/run-command.ts';
import type { describeResult as DescribeResult } from './shell/describe-result.ts';
import type { isOfThisBoot as IsOfThisBoot } from './shell/process-group.ts';
import type { Runners } from './shell/runners.ts';
import { sessionVariable } from './shell/running-commands.ts';
import type { RunningCommands } from './shell/running-commands.ts';
import type { findStanding as FindStanding } from './shell/standing-command.ts';
import type { findContentsRead as FindContentsRead } from './sandbox/contents-read.ts';
import type { CommandPlacement, placeCommand as PlaceCommand, PlainReads, Room } from './sandbox/place-command.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import type { TaskGroup } from './sandbox/task-group.ts';
import type { TaskState } from './task-state.ts';
import { failed, settle, spellOut, spellOutLine } from './tool-outcomes.ts';
import { findProblem, inputSchema, isBackground } from './terminal-input.ts';
import type { TerminalInput } from './terminal-input.ts';
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
  /** Left out: there is none. */
  readonly sandbox: SandboxSettings | undefined;
  readonly taskGroup: TaskGroup;
  readonly clock: Clock;
}

export interface Terminal extends Tool<TerminalInput> {
  /** Lets go of the shells that wait for commands. What runs goes on. */
  readonly close: () => Promise<void>;
}

/** The shell. Folder and exported variables outlive a command; the process does not. */
export function createTerminal(deps: TerminalDeps): Terminal {
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
    close: () => commands.close(),
  };
}

/** What it takes to run a command is loaded with the first one, not with the program. */
class TerminalCommands {
  readonly #deps: TerminalDeps;
  /** Calls that were judged to do more than read, and so were asked about if they are to leave the sandbox. */
  readonly #doubted = new WeakSet<TerminalInput>();
  /** What the words of a call mean where it starts: it is judged when it is prepared and again when it runs. */
  readonly #read = new WeakMap<TerminalInput, { readonly folder: string; readonly risk: CommandRisk }>();
  #judgement: Promise<LoadedJudgement> | undefined;
  #shell: Promise<LoadedShell> | undefined;
  #sandbox: Promise<LoadedSandbox> | undefined;
  /** The sessions in which was said why there is no sandbox: once will do. */
  readonly #advised = new Set<SessionId>();

  constructor(deps: TerminalDeps) {
    this.#deps = deps;
  }

  async assess(input: TerminalInput, place: ToolPlace): Promise<Risk> {
    const problem = findProblem(input);
    if (problem !== undefined) return { type: 'forbidden', reason: problem, is: 'mistake' };
    const verdict = await this.#judge(input, place);
    if (verdict.type === 'forbidden') return verdict;
    if (verdict.type === 'doubtful') this.#doubted.add(input);
    const placement = await this.#place(input, place, () => Promise.resolve(verdict));
    if (placement.type === 'refused') return { type: 'forbidden', reason: placement.reason, is: 'mistake' };
    const { why } = placement;
    if (placement.type === 'inside') return { type: 'safe', within: 'sandbox', where: { in: 'sandbox', why } };
    const where = { in: 'system', why } as const;
    return verdict.type === 'safe' ? { type: 'safe', where } : await this.#ask(input, place, verdict, placement);
  }

  async #ask(
    input: TerminalInput,
    place: ToolPlace,
    { why, words }: Extract<Verdict, { readonly type: 'doubtful' }>,
    { leaves, advice, why: whyThere }: Extract<CommandPlacement, { readonly type: 'outside' }>,
  ): Promise<Risk> {
    const folder = this.#startFolder(input, place);
    // The last line is ours, whatever the command and the folder are called.
    const manner = isBackground(input) ? 'in the background' : undefined;
    const manners = [
      `in ${spellOutLine(folder)}`,
      ...(manner ? [manner] : []),
      ...(leaves ? ['outside the sandbox'] : []),
    ];
    const { workdir, sessionId } = place;
    const isNews = advice !== undefined && !this.#advised.has(sessionId);
    if (isNews) this.#advised.add(sessionId);
    const question = [spellOut(input.command), manners.join(', '), ...(isNews ? [spellOutLine(advice)] : [])].join(
      '\n',
    );
    const environment = this.#deps.state.environmentOf(sessionId, this.#given(sessionId));
    const { command } = input;
    const { findStanding } = await (this.#judgement ??= loadJudgement());
    const standing = findStanding({ command, words, folder, workdir, path: this.#pathOf(place), environment, manner });
    return { type: 'ask', question, why, standing, where: { in: 'system', why: whyThere } };
  }

  /** What is to be said of a command, wherever it runs. */
  async #judge(input: TerminalInput, place: ToolPlace): Promise<Verdict> {
    const folder = this.#startFolder(input, place);
    const { assessCommand, judgeReads, syntax } = await (this.#judgement ??= loadJudgement());
    const { workspace } = this.#deps;
    const known = this.#read.get(input);
    const home = workspace.userHome;
    const risk = known?.folder === folder ? known.risk : assessCommand(input.command, { home, folder }, syntax);
    this.#read.set(input, { folder, risk });
    if (risk.type === 'forbidden') return risk;
    if (risk.type === 'safe') return judgeReads(risk.reads, { ...this.#variablesOf(place), workspace, place, folder });
    const reads = (risk.paths ?? []).map((path) => workspace.judgeRead(workspace.locate(path, place, folder)));
    // Our own secrets are shown to no command, whatever else it may do with them.
    return reads.find((read) => read.type === 'forbidden') ?? { ...risk, type: 'doubtful' };
  }

  async #place(input: TerminalInput, place: ToolPlace, judge: () => Promise<Verdict>): Promise<CommandPlacement> {
    const { sandbox: settings, state } = this.#deps;
    if (settings === undefined || settings.mode === 'off') return { type: 'outside', leaves: false, why: switchedOff };
    const { findContentsRead, placeCommand, sandbox } = await (this.#sandbox ??= this.#loadSandbox(settings));
    const verdict = await judge();
    const reads = verdict.type === 'safe' ? this.#readsOf(verdict, findContentsRead) : undefined;
    // What only read when it was judged was not asked about, and may be a link to something else by now.
    const mayLeave = reads !== undefined || this.#doubted.has(input);
    const wish = input.outside === true && mayLeave ? 'outside' : 'inside';
    return await placeCommand({ wish, reads }, place, sandbox, state);
  }

  #readsOf(
    { commands, located }: Extract<Verdict, { readonly type: 'safe' }>,
    find: typeof FindContentsRead,
  ): PlainReads {
    const { workspace } = this.#deps;
    const contents = commands.flatMap(({ program, paths, folders }) =>
      find(program, paths).flatMap((word) => folders.flatMap((folder) => workspace.placesNamed(word, folder))),
    );
    return { paths: located, contents };
  }

  #given(sessionId: SessionId): Readonly<Record<string, string>> {
    return { ...this.#deps.environment, [sessionVariable]: sessionId };
  }

  #pathOf(place: ToolPlace): string {
    return this.#variablesOf(place).path;
  }

  /** By which its shell finds programs and folders. */
  #variablesOf({ sessionId }: ToolPlace): { readonly path: string; readonly foldersOfCd: string } {
    const { state, environment } = this.#deps;
    const valueOf = (name: string): string => state.exported(sessionId, name) ?? environment[name] ?? '';
    return { path: valueOf('PATH'), foldersOfCd: valueOf('CDPATH') };
  }

  #startFolder(input: TerminalInput, place: ToolPlace): string {
    if (input.workdir === undefined) return this.#deps.state.currentFolder(place);
    return this.#deps.workspace.locate(input.workdir, place);
  }

  async run(input: TerminalInput, context: ToolContext): Promise<ToolOutcome> {
    const problem = findProblem(input);
    if (problem !== undefined) return failed(problem);
    const placement = await this.#place(input, context, () => this.#judge(input, context));
    if (placement.type === 'refused') return failed(placement.reason);
    const room = placement.type === 'inside' ? placement.room : undefined;
    const found = this.#findFolder(input, context, room);
    if ('problem' in found) return failed(found.problem);
    return isBackground(input)
      ? await this.#start(input, found.folder, context, room)
      : await this.#runWaiting(input, found.folder, context, room);
  }

  #findFolder(
    input: TerminalInput,
    context: ToolContext,
    room: Room | undefined,
  ): { readonly folder: string } | { readonly problem: string } {
    const folder = this.#startFolder(input, context);
    const isAsked = input.workdir !== undefined;
    if (room !== undefined) return room.folder(isAsked ? folder : undefined);
    return isAsked && !isFolder(folder) ? { problem: `workdir: there is no folder ${folder}` } : { folder };
  }

  async #runWaiting(
    input: TerminalInput,
    folder: string,
    context: ToolContext,
    room: Room | undefined,
  ): Promise<ToolOutcome> {
    const { state, environment, tickets } = this.#deps;
    const { runCommand, describeResult, runners, bash } = await (this.#shell ??= this.#loadShell());
    const request: CommandRequest = {
      bash,
      folder: state.folder,
      environment,
      command: input.command,
      workdir: folder,
      stateFile: state.fileOf(context.sessionId),
      session: { name: sessionVariable, value: context.sessionId },
      timeoutMs: this.#timeoutMs(input),
      ...(room && { enclose: room.enclose }),
    };
    const recorded = input.workdir === undefined ? state.recordedFolder(context) : folder;
    const ticket = tickets.hold(context.sessionId, context.idempotencyKey);
    try {
      const result = await runCommand(request, runners, this.#commandDeps(ticket, context));
      // Bash may have moved, as an update of the system can make it: the next command looks for it again.
      if (result.ending.type === 'not-started') this.#shell = undefined;
      const placeNote = (ended: typeof result): string | undefined =>
        room === undefined ? this.#noteOutside(context) : room.noteResult(ended, input.command);
      return await describeResult(result, { ...request, recorded, placeNote, signal: context.signal });
    } finally {
      tickets.letGo(ticket);
    }
  }

  /** What was exported inside the sandbox unasked does not bend what was agreed to. */
  #noteOutside({ sessionId }: ToolContext): string | undefined {
    const names = this.#deps.state.setInside(sessionId);
    return names.length === 0 ? undefined : `set in the sandbox, and not out here: ${names.join(', ')}`;
  }

  async #start(
    input: TerminalInput,
    workdir: string,
    context: ToolContext,
    room: Room | undefined,
  ): Promise<ToolOutcome> {
    const { startProcess } = await loadBackground();
    const { command, pty } = input;
    const stateFile = this.#deps.state.fileOf(context.sessionId);
    const terminal = pty === true ? 'pty' : 'none';
    const enclosing = room && { enclosing: { enclose: room.enclose, note: room.noteStart } };
    return await startProcess({ command, workdir, stateFile, terminal, ...enclosing }, context, this.#deps);
  }

  /** What became of a command that an earlier start of the program had begun. Waits for one that still runs. */
  async recover(input: TerminalInput, context: ToolContext): Promise<ToolOutcome | undefined> {
    const { state, tickets } = this.#deps;
    if (isBackground(input)) return (await loadBackground()).recoverStart(context, this.#deps);
    const ticket = tickets.hold(context.sessionId, context.idempotencyKey);
    try {
      const runner = ticket.runner();
      if (runner === undefined) return undefined;
      const { awaitCommand, describeResult, isOfThisBoot } = await (this.#shell ??= this.#loadShell());
      // After a loss of power, what is missing on the disk proves nothing.
      if (isOfThisBoot(runner) && ticket.revoke()) {
        return failed('the program ended before this command was begun; it has not run');
      }
      const timeoutMs = this.#timeoutMs(input);
      const result = await awaitCommand(runner, timeoutMs, this.#commandDeps(ticket, context));
      const folder = state.recordedFolder(context);
      const placeNote = ticket.place === 'inside' ? () => 'this ran in the sandbox' : () => undefined;
      const { signal } = context;
      const account = { command: input.command, workdir: folder, recorded: folder, timeoutMs, placeNote, signal };
      return await describeResult(result, account);
    } finally {
      tickets.letGo(ticket);
    }
  }

  #timeoutMs({ timeout }: TerminalInput): number {
    return timeout === undefined ? this.#deps.timeoutMs : timeout * 1000;
  }

  #commandDeps(ticket: CallTicket, { sessionId, signal, progress }: ToolContext): CommandDeps {
    const { clock, running, tickets } = this.#deps;
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
      keep: (left) => this.#keep(sessionId, left),
    };
  }

  #keep(sessionId: SessionId, { by, bytes }: LeftState): string | undefined {
    const { state } = this.#deps;
    const given = this.#given(sessionId);
    return by === 'outside' ? state.keep(sessionId, bytes, given) : state.keepInside(sessionId, bytes, given);
  }

  async close(): Promise<void> {
    // What could not be loaded has no shells.
    const shell = await this.#shell?.catch(() => undefined);
    await shell?.runners.dismissIdle();
  }

  async #loadSandbox(settings: SandboxSettings): Promise<LoadedSandbox> {
    const { placeCommand } = await import('./sandbox/place-command.ts');
    const { Sandbox } = await import('./sandbox/sandbox.ts');
    const { findContentsRead } = await import('./sandbox/contents-read.ts');
    return { findContentsRead, placeCommand, sandbox: new Sandbox({ ...this.#deps, settings }) };
  }

  async #loadShell(): Promise<LoadedShell> {
    const { findBash } = await import('./shell/find-bash.ts');
    const { awaitCommand, runCommand } = await import('./shell/run-command.ts');
    const { describeResult } = await import('./shell/describe-result.ts');
    const { isOfThisBoot } = await import('./shell/process-group.ts');
    const { Runners } = await import('./shell/runners.ts');
    const bash = findBash(this.#deps.environment['PATH'] ?? '');
    return { awaitCommand, describeResult, isOfThisBoot, runCommand, runners: new Runners(), bash };
  }
}

const switchedOff = 'the sandbox is switched off (terminal.sandbox)';

interface LoadedSandbox {
  readonly findContentsRead: typeof FindContentsRead;
  readonly placeCommand: typeof PlaceCommand;
  readonly sandbox: Sandbox;
}

export interface LoadedJudgement {
  readonly judgeReads: typeof JudgeReads;
  readonly assessCommand: typeof AssessCommand;
  readonly findStanding: typeof FindStanding;
  readonly syntax: BashSyntax;
}

/** What judges commands, loaded with the first one that is judged. */
export async function loadJudgement(): Promise<LoadedJudgement> {
  const [{ assessCommand }, { loadBashSyntax }, { judgeReads }, { findStanding }] = await Promise.all([
    import('./shell/assess-command.ts'),
    import('./shell/bash-syntax.ts'),
    import('./shell/judge-reads.ts'),
    import('./shell/standing-command.ts'),
  ]);
  return { assessCommand, findStanding, judgeReads, syntax: await loadBashSyntax() };
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
  readonly describeResult: typeof DescribeResult;
  readonly isOfThisBoot: typeof IsOfThisBoot;
  readonly runners: Runners;
  readonly runCommand: typeof RunCommand;
  readonly bash: string;
}

/** The program is ending; nobody decided about the command. It runs on, and the next start looks up what became of it. */
export function isShutdown(signal: AbortSignal): boolean {
  return signal.aborted && (signal.reason as AbortCause | undefined)?.type === 'shutdown';
}

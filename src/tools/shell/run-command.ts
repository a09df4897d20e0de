import { systemClock } from '../../base/clock.ts';
import type { Clock } from '../../base/clock.ts';
import { CapturedOutput } from './captured-output.ts';
import { quote } from './call-ticket.ts';
import type { CallTicket, LeftState } from './call-ticket.ts';
import type { Enclosure } from './enclosure.ts';
import { OutputPipe } from './output-file.ts';
import { isProcessAlive } from './process-group.ts';
import { ProgressLines } from './progress-lines.ts';
import type { RunnerStart, ShellExit } from './runner.ts';
import type { Runners } from './runners.ts';
import { ShellCall } from './shell-call.ts';
import type { CallWatch } from './shell-call.ts';
import { openLeft, wrapCommand } from './shell-script.ts';

export interface CommandRequest extends Omit<RunnerStart, 'ready'> {
  readonly command: string;
  /** Where it runs. */
  readonly workdir: string;
  /** What the last command left for this one. */
  readonly stateFile: string;
  /** The variable by which every process of the session is known. */
  readonly session: { readonly name: string; readonly value: string };
  readonly timeoutMs: number;
  /** Left out: the command runs in the system as it is. */
  readonly enclose?: (requestFile: string) => Enclosure;
}

export interface CommandDeps {
  readonly ticket: CallTicket;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Whether an abort leaves the command to run on, for a later start of the program to look up. */
  readonly isLeaving: () => boolean;
  readonly progress: (text: string) => void;
  /** Told of the command as soon as it is begun, so that it can be ended from outside. */
  readonly track: (shell: ShellCall) => void;
  /** Keeps what the command left for the next one, and returns why it could not. */
  readonly keep: (state: LeftState) => string | undefined;
}

export interface CommandResult {
  readonly ending:
    | ShellExit
    | { readonly type: 'timed-out' }
    | { readonly type: 'stopped' }
    | { readonly type: 'left' };
  readonly output: string;
  /** Whether a part of the output could not be kept. */
  readonly isCut: boolean;
  /** Why folder and environment could not be kept for the next command. */
  readonly lostState: string | undefined;
}

const watchMs = 100;
const recordMs = 50;

/** Runs one command to its end, its time limit or an abort. Whatever it had put out by then is in the result. */
export async function runCommand(request: CommandRequest, runners: Runners, deps: CommandDeps): Promise<CommandResult> {
  const { ticket } = deps;
  const first = await attend(await handOver(request, runners, ticket), request.timeoutMs, deps);
  if (first.ending.type !== 'lost' || !ticket.revoke()) return first;
  // That runner had died before it began the command, so that another may.
  ticket.remove();
  const second = await attend(await handOver(request, runners, ticket), request.timeoutMs, deps);
  if (second.ending.type !== 'lost' || !ticket.revoke()) return second;
  const error = new Error(
    'its runner ends at once; it needs mkfifo, dd, wc, tail, cat, rm, date and sleep on the PATH',
  );
  return { ...second, ending: { type: 'not-started', error } };
}

async function handOver(request: CommandRequest, runners: Runners, ticket: CallTicket): Promise<CallWatch> {
  const { command, session } = request;
  const { ready, ...scripts } = writeScripts(request, ticket);
  const endsAtMs = systemClock.now() + request.timeoutMs;
  let output: OutputPipe | undefined;
  const call = await runners.start({ ...request, ready }, ({ folder, group, pipe }, runner) => {
    if (!ticket.create(folder, { ...scripts, command, session, runner, group, endsAtMs })) return false;
    output = new OutputPipe(pipe);
    return true;
  });
  // By now the command runs, so that nothing below holds it up.
  const closed = output?.copyInto(ticket.folder) ?? Promise.resolve('whole');
  if (call !== undefined) return { exited: call.exited, closed };
  const error = new Error('this call was begun before, and does not run a second time');
  return { exited: Promise.resolve({ type: 'not-started', error }), closed };
}

/** The text that the waiting shell runs, and the one that it has run inside, where the command is enclosed. */
interface ShellScripts {
  readonly ready: string;
  readonly script: string;
  readonly inside?: string;
  readonly files?: Enclosure['files'];
}

function writeScripts(request: CommandRequest, ticket: CallTicket): ShellScripts {
  const given = [...Object.keys(request.environment), request.session.name];
  const enclosure = request.enclose?.(ticket.requestFile);
  const { workdir: folder, stateFile, bash } = request;
  if (enclosure === undefined) {
    const wrapped = wrapCommand({ folder, stateFiles: [stateFile], given });
    return { ready: '', script: `${openLeft(ticket.stateFile('outside'))}; ${wrapped}` };
  }
  const { ready, files, launch, requestFile, stateFiles, before, after } = enclosure;
  const shell = `${quote(bash)} --norc -c ${quote(`. ${quote(requestFile)}; eval "$4"`)} bash`;
  const script = `${openLeft(ticket.stateFile('inside'))}; ${launch} ${shell}`;
  return { ready, files, script, inside: wrapCommand({ folder, stateFiles, given, before, after }) };
}

/** Waits for a command that an earlier start of the program had begun, within what is left of its time. */
export async function awaitCommand(runner: string, timeoutMs: number, deps: CommandDeps): Promise<CommandResult> {
  const over = new AbortController();
  try {
    const spentMs = systemClock.now() - (deps.ticket.claimedAtMs() ?? 0);
    return await attend(watchRecords(runner, deps, over.signal), Math.max(0, timeoutMs - spentMs), deps);
  } finally {
    over.abort('over');
  }
}

/** What the records tell of a call whose runner does not know us. */
function watchRecords(runner: string, { ticket }: CommandDeps, signal: AbortSignal): CallWatch {
  const findExit = async (): Promise<ShellExit> => {
    while (!signal.aborted) {
      // In this order: a runner that is gone may have written the record just before.
      const isAlive = isProcessAlive(runner);
      const code = ticket.exitCode();
      if (code !== undefined) return { type: 'exited', code };
      if (!isAlive) return { type: 'lost' };
      await pause(recordMs, signal);
    }
    return { type: 'lost' };
  };
  const exited = findExit();
  // Nobody tells when the output is whole; it follows the exit within a moment.
  const closed = exited.then(() => pause(2 * recordMs, signal)).then(() => (ticket.isCut() ? 'cut' : 'whole'));
  return { exited, closed };
}

async function attend(watch: CallWatch, timeoutMs: number, deps: CommandDeps): Promise<CommandResult> {
  const { ticket } = deps;
  const shell = new ShellCall(ticket, watch);
  deps.track(shell);
  const lines = new ProgressLines(deps.progress, deps.clock);
  const ending = await waitForEnding(shell, lines, timeoutMs, deps);
  if (ending.type === 'left') return { ending, output: '', isCut: false, lostState: undefined };
  const state = ending.type === 'exited' ? ticket.leftState() : undefined;
  const lostState = state === undefined ? undefined : deps.keep(state);
  if (ending.type === 'exited') await shell.settleOutput();
  else if (ending.type !== 'not-started') await shell.end();
  const output = new CapturedOutput();
  await ticket.readOutput(output);
  lines.saw(ticket.lastLines());
  return { ending, output: output.text(), isCut: shell.isCut, lostState };
}

async function waitForEnding(
  shell: ShellCall,
  lines: ProgressLines,
  timeoutMs: number,
  deps: CommandDeps,
): Promise<CommandResult['ending']> {
  const over = new AbortController();
  const timeLimit = deps.clock.sleep(timeoutMs, over.signal).then(
    (): CommandResult['ending'] => ({ type: 'timed-out' }),
    (): CommandResult['ending'] => ({ type: 'stopped' }),
  );
  const stop = Promise.withResolvers<CommandResult['ending']>();
  const onAbort = (): void => stop.resolve({ type: deps.isLeaving() ? 'left' : 'stopped' });
  deps.signal.addEventListener('abort', onAbort, { once: true });
  if (deps.signal.aborted) onAbort();
  const shown = [lines.beat(over.signal), showOutput(deps.ticket, lines, over.signal)];
  try {
    return await Promise.race([shell.exited, timeLimit, stop.promise]);
  } finally {
    // Any reason will do; without one, an error with a stack would be made for nobody.
    over.abort('over');
    deps.signal.removeEventListener('abort', onAbort);
    await Promise.all(shown);
  }
}

async function showOutput(ticket: CallTicket, lines: ProgressLines, signal: AbortSignal): Promise<void> {
  let shown = '';
  while (await pause(watchMs, signal)) {
    const mark = ticket.outputMark();
    if (mark !== shown) lines.saw(ticket.lastLines());
    shown = mark;
  }
}

/** Waits in the system's own time, in which files grow; false where the signal came first. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return await systemClock.sleep(ms, signal).then(
    () => true,
    () => false,
  );
}

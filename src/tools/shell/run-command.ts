import type { Clock } from '../../base/clock.ts';
import { CapturedOutput } from './captured-output.ts';
import { ProgressLines } from './progress-lines.ts';
import { ShellProcess } from './shell-process.ts';
import type { ShellExit } from './shell-process.ts';
import { wrapCommand } from './shell-script.ts';

export interface CommandRequest {
  readonly bash: string;
  readonly command: string;
  readonly folder: string;
  /** What the last command left for this one. */
  readonly stateFile: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export interface CommandDeps {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
  /** Told of the process as soon as it runs, so that it can be ended from outside. */
  readonly track: (shell: ShellProcess) => void;
  /** Keeps what the command left for the next one, and returns why it could not. */
  readonly keep: (state: Buffer) => string | undefined;
}

export interface CommandResult {
  readonly ending: ShellExit | { readonly type: 'timed-out' } | { readonly type: 'stopped' };
  readonly output: string;
  /** Why folder and environment could not be kept for the next command. */
  readonly lostState: string | undefined;
}

/** Runs one command to its end, its time limit or an abort. Whatever it had put out by then is in the result. */
export async function runCommand(request: CommandRequest, deps: CommandDeps): Promise<CommandResult> {
  const output = new CapturedOutput();
  const lines = new ProgressLines(deps.progress, deps.clock);
  const shell = new ShellProcess({
    bash: request.bash,
    script: wrapCommand({ ...request, given: Object.keys(request.environment) }),
    command: request.command,
    environment: request.environment,
    onOutput: (bytes) => {
      output.add(bytes);
      lines.saw(bytes);
    },
  });
  deps.track(shell);
  const ending = await waitForEnding(shell, lines, request.timeoutMs, deps);
  if (ending.type === 'exited') {
    const state = await shell.left;
    const lostState = state === undefined ? undefined : deps.keep(state);
    await shell.settleOutput();
    return { ending, output: output.text(), lostState };
  }
  await shell.end();
  return { ending, output: output.text(), lostState: undefined };
}

async function waitForEnding(
  shell: ShellProcess,
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
  const onAbort = (): void => stop.resolve({ type: 'stopped' });
  deps.signal.addEventListener('abort', onAbort, { once: true });
  if (deps.signal.aborted) onAbort();
  const heartbeat = lines.beat(over.signal);
  try {
    return await Promise.race([shell.exited, timeLimit, stop.promise]);
  } finally {
    // Any reason will do; without one, an error with a stack would be made for nobody.
    over.abort('over');
    deps.signal.removeEventListener('abort', onAbort);
    await heartbeat;
  }
}

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { systemClock } from '../../base/clock.ts';
import { LeftState } from './left-state.ts';
import { isGroupAlive, signalGroup } from './process-group.ts';
import { statePipe } from './shell-script.ts';

export interface ShellStart {
  /** The path of bash. */
  readonly bash: string;
  readonly script: string;
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly onOutput: (bytes: Buffer) => void;
}

export type ShellExit =
  | { readonly type: 'exited'; readonly code: number }
  | { readonly type: 'not-started'; readonly error: Error };

const tickMs = 50;
// Half a second to end in good order: a stop is to take effect within one, the killing included.
const politeTicks = 10;
const graceTicks = 20;
const idleTicks = 2;

/**
 * One shell in a process group of its own, with everything it starts. `exited` tells when the shell itself ended,
 * `closed` when also nobody holds its output any more.
 */
export class ShellProcess {
  readonly exited: Promise<ShellExit>;
  readonly closed: Promise<void>;
  /** The environment and folder that the shell had when it ended; undefined where it could not write them down. */
  readonly left: Promise<Buffer | undefined>;
  readonly #child: ChildProcess;
  #isClosed = false;
  #onOutput: ((bytes: Buffer) => void) | undefined;
  #bytes = 0;

  constructor(start: ShellStart) {
    const { promise: exited, resolve: exit } = Promise.withResolvers<ShellExit>();
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    this.exited = exited;
    this.closed = closed;
    this.#onOutput = start.onOutput;
    this.#child = spawn(start.bash, ['-c', start.script, 'bash', start.command], {
      env: start.environment,
      detached: true,
      // The script joins errors to the output itself: two pipes would lose the order of what they carry.
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    });
    const pipes = this.#child.stdio as readonly unknown[] | undefined; // missing where the system is out of descriptors
    const state = new LeftState(pipes?.[statePipe] as Readable | undefined);
    this.left = exited.then(() => state.take());
    this.#child.stdout?.on('data', (bytes: Buffer) => this.#take(bytes));
    this.#child.once('exit', (code, signal) => exit({ type: 'exited', code: code ?? signalCode(signal) }));
    this.#child.once('close', () => {
      this.#isClosed = true;
      close();
    });
    this.#child.once('error', (error) => {
      exit({ type: 'not-started', error });
      close();
    });
  }

  #take(bytes: Buffer): void {
    this.#bytes += bytes.length;
    this.#onOutput?.(bytes);
  }

  /**
   * Waits for the rest of the output after the shell ended. A process left in the background may hold it open for ever:
   * once nothing more comes it is let go, and what it writes later is read and dropped, so that it can run on.
   */
  async settleOutput(): Promise<void> {
    let idle = 0;
    // At least two ticks: between them the event loop reads whatever had already arrived.
    for (let tick = 0; tick < graceTicks && idle < idleTicks; tick += 1) {
      const before = this.#bytes;
      if (await this.#closesWithin(tickMs)) return;
      idle = this.#bytes === before ? idle + 1 : 0;
    }
    this.#letGo();
  }

  /** Ends the whole group: asks it to, gives it half a second, then leaves it no choice. */
  async end(): Promise<void> {
    const group = this.#child.pid;
    if (group === undefined) return;
    signalGroup(group, 'SIGTERM');
    for (let tick = 0; tick < politeTicks; tick += 1) {
      if ((await this.#closesWithin(tickMs)) && !isGroupAlive(group)) return;
    }
    signalGroup(group, 'SIGKILL');
    for (let tick = 0; tick < graceTicks; tick += 1) {
      if (await this.#closesWithin(tickMs)) return;
    }
    this.#letGo();
  }

  #letGo(): void {
    this.#onOutput = undefined;
    (this.#child.stdout as Socket | null)?.unref();
  }

  async #closesWithin(ms: number): Promise<boolean> {
    if (this.#isClosed) return true;
    const stop = new AbortController();
    // The system's own time, whatever clock the program lives by: processes end when they end.
    const timer = systemClock.sleep(ms, stop.signal).then(
      () => false,
      () => false,
    );
    const isClosed = await Promise.race([this.closed.then(() => true), timer]);
    stop.abort();
    return isClosed;
  }
}

/** The code by which shells report a death by signal. */
function signalCode(signal: NodeJS.Signals | null): number {
  return 128 + (signal === null ? 0 : constants.signals[signal]);
}

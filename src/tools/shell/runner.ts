import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describeProcess } from './process-group.ts';
import { runnerScript } from './runner-script.ts';

const restMs = 1;

export interface RunnerStart {
  /** The path of bash. */
  readonly bash: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Where the folders of the calls are. */
  readonly folder: string;
  /** What each shell does, in words of bash, while it waits for its command. */
  readonly ready: string;
}

export type ShellExit =
  | { readonly type: 'exited'; readonly code: number }
  | { readonly type: 'not-started'; readonly error: Error }
  /** The runner has died; its records say how far the command had come. */
  | { readonly type: 'lost' };

/** Where a shell waits for its command. The folder becomes that of the call; the output comes out of the pipe. */
export interface Slot {
  readonly folder: string;
  /** The process group of the shell, and of all that it is going to start. */
  readonly group: number;
  readonly pipe: string;
}

interface WaitingSlot extends Omit<Slot, 'group'> {
  readonly number: number;
  /** The group; undefined where the runner has died. */
  readonly readiness: PromiseWithResolvers<number | undefined>;
  readonly ending: PromiseWithResolvers<ShellExit>;
}

/** A call that is under way. */
export interface BegunCall {
  readonly exited: Promise<ShellExit>;
}

/**
 * A small process that starts commands in our stead and outlives us, in a session of its own. It runs one command at a
 * time: several at once need several runners.
 */
export class Runner {
  /** Names the process beyond the reuse of its number. */
  readonly identity: string;
  readonly #child: ChildProcess;
  readonly #folder: string;
  #next: WaitingSlot | undefined;
  #running: WaitingSlot | undefined;
  #slots = 0;
  #isDead = false;
  readonly #ended = Promise.withResolvers<void>();
  #unfinished = '';

  constructor({ bash, environment, folder, ready }: RunnerStart) {
    // Without start-up files: bash would read them, since Node's pipes are sockets, as they are for a remote shell.
    this.#child = spawn(bash, ['--noprofile', '--norc', '-c', runnerScript, 'bash', ready], {
      cwd: folder,
      env: environment,
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
    });
    this.#folder = folder;
    this.identity = describeProcess(this.#child.pid ?? 0);
    this.#child.once('exit', () => this.#die({ type: 'lost' }));
    this.#child.once('error', (error) => this.#die({ type: 'not-started', error }));
    // That it is gone is told by its end; what could not be written to it was never begun.
    this.#child.stdin?.on('error', () => this.#die({ type: 'lost' }));
    this.#child.stdout?.on('data', (bytes: Buffer) => this.#hear(bytes.toString('latin1')));
    this.#child.unref();
    for (const pipe of this.#child.stdio as readonly (Socket | null)[]) pipe?.unref();
    this.#prepare();
  }

  /** Has a shell made ready for the next command. */
  #prepare(): WaitingSlot {
    const number = (this.#slots += 1);
    const folder = join(this.#folder, `.slot-${this.#child.pid ?? 0}-${number}`);
    const readiness = Promise.withResolvers<number | undefined>();
    const ending = Promise.withResolvers<ShellExit>();
    this.#next = { number, folder, pipe: `${folder}.pipe`, readiness, ending };
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#child.stdin?.write(`${number}\n`);
    return this.#next;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** Has the waiting shell run what `request` puts into its folder; undefined where that has put nothing there. */
  async run(request: (slot: Slot) => boolean): Promise<BegunCall | undefined> {
    const slot = this.#next ?? this.#prepare();
    const exited = slot.ending.promise;
    // Only a command that is waited for keeps the program from ending.
    const output = this.#child.stdout as Socket | null;
    output?.ref();
    const group = await slot.readiness.promise;
    output?.unref();
    if (group === undefined) return { exited };
    if (!request({ folder: slot.folder, pipe: slot.pipe, group })) return undefined;
    this.#next = undefined;
    this.#running = slot;
    this.#child.stdin?.write('go\n');
    void this.#stayAwake(exited);
    return { exited };
  }

  async #stayAwake(exited: Promise<ShellExit>): Promise<void> {
    const output = this.#child.stdout as Socket | null;
    output?.ref();
    await exited;
    output?.unref();
    // Later: first comes what waits for the command that has just ended.
    const later = setTimeout(() => {
      if (!this.#isDead && this.#child.stdin?.writable === true && this.#next === undefined) this.#prepare();
    }, restMs);
    later.unref();
  }

  /** Has no more commands for it, so that it ends with the present one. */
  dismiss(): void {
    this.#child.stdin?.end();
  }

  /** Resolves once it has ended. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  #hear(text: string): void {
    const lines = (this.#unfinished + text).split('\n');
    this.#unfinished = lines.pop() ?? '';
    for (const line of lines) {
      const [number, word, value] = line.split(' ');
      if (word === 'ready' && this.#next?.number === Number(number)) this.#next.readiness.resolve(Number(value));
      if (word === 'exited' && this.#running?.number === Number(number)) {
        this.#running.ending.resolve({ type: 'exited', code: Number(value) });
      }
    }
  }

  #die(exit: ShellExit): void {
    this.#isDead = true;
    this.#ended.resolve();
    this.#running?.ending.resolve(exit);
    this.#next?.ending.resolve(exit);
    this.#next?.readiness.resolve(undefined);
    if (this.#next !== undefined) rmSync(this.#next.folder, { recursive: true, force: true });
  }
}

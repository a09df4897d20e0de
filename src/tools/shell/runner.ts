import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describeProcess } from './process-group.ts';
import { runnerScript } from './runner-script.ts';

export interface RunnerStart {
  /** The path of bash. */
  readonly bash: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Where the folders of the calls are. */
  readonly folder: string;
}

export type ShellExit =
  | { readonly type: 'exited'; readonly code: number }
  | { readonly type: 'not-started'; readonly error: Error }
  /** The runner has died; its records say how far the command had come. */
  | { readonly type: 'lost' };

/** What is told about a call: how its shell ended, and whether its output is whole, once nobody holds that any more. */
export interface CallWatch {
  readonly exited: Promise<ShellExit>;
  readonly closed: Promise<'whole' | 'cut'>;
}

/** The folder in which a shell waits for its command. It becomes the folder of the call. */
interface Slot {
  readonly name: string;
  readonly folder: string;
  readonly readiness: PromiseWithResolvers<boolean>;
}

interface Told {
  readonly exit: (exit: ShellExit) => void;
  readonly close: (output: 'whole' | 'cut') => void;
  /** Exit and close come in either order. */
  missing: number;
}

/**
 * A small process that starts commands in our stead and outlives us, in a session of its own. It runs one command at a
 * time: several at once need several runners.
 */
export class Runner {
  /** Names the process beyond the reuse of its number. */
  readonly identity: string;
  readonly #child: ChildProcess;
  readonly #told = new Map<string, Told>();
  readonly #folder: string;
  #next: Slot | undefined;
  #slots = 0;
  #isDead = false;
  #unfinished = '';

  constructor({ bash, environment, folder }: RunnerStart) {
    // Without start-up files: bash would read them, since Node's pipes are sockets, as they are for a remote shell.
    this.#child = spawn(bash, ['--noprofile', '--norc', '-c', runnerScript], {
      cwd: folder,
      env: environment,
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
    });
    this.#folder = folder;
    this.identity = describeProcess(this.#child.pid ?? 0);
    this.#child.once('exit', () => this.#die({ type: 'lost' }));
    this.#child.once('error', (error) => this.#die({ type: 'not-started', error }));
    this.#child.once('close', () => this.#closeAll());
    // That it is gone is told by its end; what could not be written to it was never begun.
    this.#child.stdin?.on('error', () => this.#die({ type: 'lost' }));
    this.#child.stdout?.on('data', (bytes: Buffer) => this.#hear(bytes.toString('latin1')));
    this.#child.unref();
    for (const pipe of this.#child.stdio as readonly (Socket | null)[]) pipe?.unref();
    this.#prepare();
  }

  /** Has a shell made ready for the next command. */
  #prepare(): Slot {
    const name = `.slot-${this.#child.pid ?? 0}-${(this.#slots += 1)}`;
    const slot: Slot = { name, folder: join(this.#folder, name), readiness: Promise.withResolvers<boolean>() };
    this.#next = slot;
    mkdirSync(slot.folder, { recursive: true, mode: 0o700 });
    this.#child.stdin?.write(`${name}\n`);
    return slot;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** Has the waiting shell run what `request` puts into its folder; undefined where that has put nothing there. */
  async run(request: (folder: string) => boolean): Promise<CallWatch | undefined> {
    const slot = this.#next ?? this.#prepare();
    const watch = this.#watch(slot.name);
    if (!(await slot.readiness.promise)) return watch;
    let isRequested = false;
    try {
      isRequested = request(slot.folder);
    } finally {
      if (!isRequested) this.#told.get(slot.name)?.exit({ type: 'lost' });
    }
    if (!isRequested) return undefined;
    this.#next = undefined;
    this.#child.stdin?.write('go\n');
    return watch;
  }

  #watch(slot: string): CallWatch {
    const { promise: exited, resolve: exit } = Promise.withResolvers<ShellExit>();
    const { promise: closed, resolve: close } = Promise.withResolvers<'whole' | 'cut'>();
    this.#told.set(slot, { exit, close, missing: 2 });
    void this.#stayAwake(exited);
    return { exited, closed };
  }

  /** Only a command that runs keeps the program from ending. */
  async #stayAwake(exited: Promise<ShellExit>): Promise<void> {
    const output = this.#child.stdout as Socket | null;
    output?.ref();
    await exited;
    output?.unref();
    // Later: first comes what waits for the command that has just ended.
    setImmediate(() => {
      if (!this.#isDead && this.#next === undefined) this.#prepare();
    });
  }

  /** Has no more commands for it, so that it ends with the present one. */
  dismiss(): void {
    this.#child.stdin?.end();
  }

  #hear(text: string): void {
    const lines = (this.#unfinished + text).split('\n');
    this.#unfinished = lines.pop() ?? '';
    for (const line of lines) {
      const [slot = '', word, number] = line.split(' ');
      this.#tell(slot, word, Number(number));
    }
  }

  #tell(slot: string, word: string | undefined, code: number): void {
    if (word === 'ready') {
      if (this.#next?.name === slot) this.#next.readiness.resolve(true);
      return;
    }
    const told = this.#told.get(slot);
    if (told === undefined) return;
    if (word === 'exited') told.exit({ type: 'exited', code });
    if (word === 'closed' || word === 'cut') told.close(word === 'cut' ? 'cut' : 'whole');
    told.missing -= 1;
    if (told.missing === 0) this.#told.delete(slot);
  }

  #die(exit: ShellExit): void {
    this.#isDead = true;
    if (this.#next !== undefined) {
      this.#next.readiness.resolve(false);
      rmSync(this.#next.folder, { recursive: true, force: true });
    }
    for (const told of this.#told.values()) told.exit(exit);
    if (exit.type === 'not-started') this.#closeAll();
  }

  #closeAll(): void {
    for (const told of this.#told.values()) told.close('whole');
    this.#told.clear();
  }
}

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemErrorCode } from '../../base/errors.ts';
import type { ProcessState } from '../../model/background.ts';
import { isProcessAlive } from '../shell/process-group.ts';

/** What is known about a background process from the moment in which it was asked for. */
export interface ProcessAccount {
  readonly command: string;
  readonly workdir: string;
  readonly startedAtMs: number;
  readonly terminal: 'none' | 'pty';
  /** Where it runs; left out by those that were started before there was a choice: outside. */
  readonly place?: 'inside' | 'outside';
  /** The process of ours that asked for it. */
  readonly starter: string;
}

/** Texts that shells read: the supervisor's, and that of the one inside the sandbox. */
export interface ProcessFiles {
  readonly request: string;
  readonly variables: string;
  readonly inside?: string;
}

/**
 * Who knows that it ended: the model, by asking (`seen`) or by being told (`heard`), and the people in the chat (`told`). One
 * that a person has ended is `stopped`, one that ended together with its session is `closed`.
 */
export type Mark = 'seen' | 'heard' | 'told' | 'stopped' | 'closed';

/**
 * The folder of one background process: what is to run, and what its supervisor writes down about it. It is all there is,
 * so that a later start of the program knows as much as the one that started the process.
 */
export class ProcessTicket {
  readonly id: string;
  readonly folder: string;

  constructor(folder: string, id: string) {
    this.id = id;
    this.folder = join(folder, id);
  }

  get inputPipe(): string {
    return join(this.folder, 'in');
  }

  get outputFile(): string {
    return join(this.folder, 'out');
  }

  /** What is read inside the sandbox. */
  get insideFile(): string {
    return join(this.folder, 'inside');
  }

  exists(): boolean {
    return existsSync(this.folder);
  }

  /** Makes the folder in one step; false where the call had one before. */
  create(account: ProcessAccount, files: ProcessFiles): boolean {
    const fresh = `${this.folder}.new`;
    rmSync(fresh, { recursive: true, force: true });
    mkdirSync(fresh, { recursive: true, mode: 0o700 });
    const texts = { ...files, 'account.json': JSON.stringify(account) };
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(fresh, name), text, { mode: 0o600 });
    try {
      renameSync(fresh, this.folder);
      return true;
    } catch (thrown) {
      rmSync(fresh, { recursive: true, force: true });
      if (!this.exists()) throw thrown;
      return false;
    }
  }

  /** Sees to it that no supervisor ever begins the process; false where one has. */
  revoke(): boolean {
    try {
      writeFileSync(join(this.folder, 'claim'), 'nobody\n', { flag: 'wx' });
      return true;
    } catch (thrown) {
      if (systemErrorCode(thrown) === 'EEXIST') return false;
      throw thrown;
    }
  }

  account(): ProcessAccount | undefined {
    const text = this.#read('account.json');
    return text === undefined ? undefined : (JSON.parse(text) as ProcessAccount);
  }

  state(): ProcessState {
    const supervisor = this.supervisor();
    if (supervisor === undefined) return { type: 'waiting' };
    // In this order: what is gone may have written the record just before.
    const isAlive = isProcessAlive(supervisor) || isProcessAlive(this.leader() ?? '');
    const exit = this.#exit();
    if (exit !== undefined) return exit;
    return isAlive ? { type: 'running' } : { type: 'lost' };
  }

  #exit(): Extract<ProcessState, { readonly type: 'exited' }> | undefined {
    const code = this.#line('exit');
    const file = statSync(join(this.folder, 'exit'), { throwIfNoEntry: false });
    if (code === undefined || file === undefined) return undefined;
    return { type: 'exited', code: Number(code), atMs: file.mtimeMs, ...this.#stoppedBy() };
  }

  #stoppedBy(): { readonly stoppedBy?: 'user' | 'close' } {
    if (this.has('stopped')) return { stoppedBy: 'user' };
    return this.has('closed') ? { stoppedBy: 'close' } : {};
  }

  /** Who looks after the process. */
  supervisor(): string | undefined {
    return this.#line('claim');
  }

  /** The shell that leads the group of the process. */
  leader(): string | undefined {
    return this.#line('group');
  }

  /** How many bytes were taken out of the middle of the output. */
  dropped(): number {
    const counts = this.#read('dropped')?.match(/\d+/g) ?? [];
    return counts.reduce((sum, count) => sum + Number(count), 0);
  }

  /** Whether a part of the output could not be kept. */
  isCut(): boolean {
    return existsSync(join(this.folder, 'cut'));
  }

  /** Whether the middle of the output is just being taken out. */
  isDropping(): boolean {
    return existsSync(join(this.folder, 'tail'));
  }

  has(mark: Mark): boolean {
    return existsSync(join(this.folder, mark));
  }

  /** Best effort: what must happen once is written down elsewhere, and this saves looking there. */
  mark(mark: Mark): void {
    try {
      writeFileSync(join(this.folder, mark), '');
    } catch (thrown) {
      // On a full disk, or in a folder that was removed meanwhile.
      if (systemErrorCode(thrown) === undefined) throw thrown;
    }
  }

  unmark(mark: Mark): void {
    rmSync(join(this.folder, mark), { force: true });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A record of one line; undefined until all of it is written. */
  #line(name: string): string | undefined {
    const text = this.#read(name);
    return text?.endsWith('\n') === true ? text.slice(0, -1) : undefined;
  }

  #read(name: string): string | undefined {
    try {
      return readFileSync(join(this.folder, name), 'utf8');
    } catch (thrown) {
      if (systemErrorCode(thrown) !== 'ENOENT') throw thrown;
      return undefined;
    }
  }
}

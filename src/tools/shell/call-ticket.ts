import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../../base/errors.ts';
import type { CapturedOutput } from './captured-output.ts';
import { headBytes } from './output-file.ts';

// Far more than any system lets a program be started with.
const largestState = 16 * 1024 * 1024;
const lastLinesBytes = 1024;
const stateNames = { outside: 'state', inside: 'state-inside' } as const;

/** What a call asks of a runner, and which runner that is. */
export interface TicketRequest {
  readonly script: string;
  /** What the script has run inside the sandbox. */
  readonly inside?: string;
  /** What else the script reads, by the names of files. */
  readonly files?: Readonly<Record<string, string>>;
  readonly command: string;
  readonly session: { readonly name: string; readonly value: string };
  readonly runner: string;
  /** The process group of the shell that waits for it. */
  readonly group: number;
  readonly endsAtMs: number;
}

/** What a shell left for the next one, and where it ran: what was left inside the sandbox is never taken up outside. */
export interface LeftState {
  readonly by: 'inside' | 'outside';
  readonly bytes: Buffer;
}

/**
 * The folder in which a call is handed to a runner and in which the runner writes down what becomes of it, so that a
 * later start of the program can look it up. Files appear in this order: `request`, `claim`, `out`, `state` or `state-inside`.
 */
export class CallTicket {
  /** The folder, as the runner is told it. */
  readonly name: string;
  readonly folder: string;

  constructor(tasks: string, name: string) {
    this.name = name;
    this.folder = join(tasks, name);
  }

  get requestFile(): string {
    return join(this.folder, 'request');
  }

  /** Where the shell of the call leaves its state. */
  stateFile(by: LeftState['by']): string {
    return join(this.folder, stateNames[by]);
  }

  /** Where the call was begun. */
  get place(): LeftState['by'] {
    return existsSync(this.stateFile('inside')) ? 'inside' : 'outside';
  }

  exists(): boolean {
    return existsSync(this.folder);
  }

  /** Makes a runner's folder, with a request in it, that of the call; false where the call had one before. */
  create(from: string, { script, command, session, runner, group, endsAtMs, inside, files }: TicketRequest): boolean {
    const words = [command, script, String(Math.ceil(endsAtMs / 1000)), ...(inside === undefined ? [] : [inside])];
    const lines = [
      `# ${group} of ${runner}`,
      `export ${session.name}=${quote(session.value)}`,
      `set -- ${words.map(quote).join(' ')}`,
    ];
    for (const [name, text] of Object.entries(files ?? {})) writeFileSync(join(from, name), text);
    writeFileSync(join(from, 'request'), `${lines.join('\n')}\n`);
    try {
      renameSync(from, this.folder);
      return true;
    } catch (thrown) {
      if (!this.exists()) throw thrown;
      return false;
    }
  }

  /** The runner that the call was handed to. */
  runner(): string | undefined {
    return this.#requested()?.[2];
  }

  /** Sees to it that no runner ever begins the call; false where one has. */
  revoke(): boolean {
    if (!this.exists()) return true;
    try {
      writeFileSync(join(this.folder, 'claim'), 'nobody\n', { flag: 'wx' });
      return true;
    } catch (thrown) {
      if (systemErrorCode(thrown) !== 'EEXIST') throw thrown;
      return false;
    }
  }

  /** When a runner began the call. */
  claimedAtMs(): number | undefined {
    return statSync(join(this.folder, 'claim'), { throwIfNoEntry: false })?.mtimeMs;
  }

  /** The process group of the command. */
  group(): number | undefined {
    const group = this.#requested()?.[1];
    return group === undefined ? undefined : Number(group);
  }

  exitCode(): number | undefined {
    const code = /^.*\n(\d+)\n$/.exec(this.#read('claim')?.toString('utf8') ?? '')?.[1];
    return code === undefined ? undefined : Number(code);
  }

  /** The environment and folder of a shell that has ended; only one whole account counts, alone between two NULs. */
  leftState(): LeftState | undefined {
    const by = this.place;
    const size = statSync(this.stateFile(by), { throwIfNoEntry: false })?.size ?? 0;
    const bytes = size > largestState ? undefined : this.#read(stateNames[by]);
    const whole = bytes && wholeState(bytes);
    return whole && { by, bytes: whole };
  }

  /** Changes whenever there is more output. */
  outputMark(): string {
    const file = statSync(this.#output, { throwIfNoEntry: false });
    return file === undefined ? '' : `${file.size} ${file.mtimeMs}`;
  }

  /** The end of the output so far. */
  lastLines(): Buffer {
    const file = openIfThere(this.#output);
    if (file === undefined) return Buffer.alloc(0);
    try {
      const from = Math.max(0, fstatSync(file).size - lastLinesBytes);
      const bytes = Buffer.alloc(lastLinesBytes);
      return bytes.subarray(0, readSync(file, bytes, { position: from }));
    } finally {
      closeSync(file);
    }
  }

  /** Hands over the output, in pieces, so that memory stays bounded. */
  async readOutput(output: CapturedOutput): Promise<void> {
    // Nearly every output fits into one piece, and is read sooner than a file can be opened for reading in pieces.
    const size = statSync(this.#output, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= headBytes) {
      output.add(this.#read('out') ?? Buffer.alloc(0));
      return;
    }
    await using file = await open(this.#output);
    for (let piece = 0; ; piece += 1) {
      if (piece === 1) output.skip(this.#dropped());
      const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes));
      if (bytesRead === 0) return;
      output.add(buffer.subarray(0, bytesRead));
    }
  }

  /** Whether the runner could not keep a part of the output. */
  isCut(): boolean {
    return existsSync(join(this.folder, 'cut'));
  }

  #requested(): RegExpExecArray | null {
    return /^# (\d+) of (.+)\n/.exec(this.#read('request')?.toString('utf8') ?? '');
  }

  get #output(): string {
    return join(this.folder, 'out');
  }

  #dropped(): number {
    const counts = this.#read('dropped')?.toString('utf8').match(/\d+/g) ?? [];
    return counts.reduce((sum, count) => sum + Number(count), 0);
  }

  #read(name: string): Buffer | undefined {
    try {
      return readFileSync(join(this.folder, name));
    } catch (thrown) {
      if (systemErrorCode(thrown) !== 'ENOENT') throw thrown;
      return undefined;
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (thrown) {
    if (systemErrorCode(thrown) !== 'ENOENT') throw thrown;
    return undefined;
  }
}

/** What a shell left, without its frame; undefined where it is not whole, or something else was written among it. */
export function wholeState(bytes: Buffer): Buffer | undefined {
  const end = bytes.length - 1;
  return bytes[0] === 0 && bytes.indexOf(0, 1) === end ? bytes.subarray(1, end) : undefined;
}

/** A text as one word of bash. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

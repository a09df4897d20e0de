import { appendFileSync, closeSync, constants, ftruncateSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';

/** Of an output that grows beyond the most, the middle is dropped, so that the head and this much of the end are left. */
export const mostBytes = 64 * 1024 * 1024;
export const headBytes = 1024 * 1024;
export const tailBytes = 1024 * 1024;

/** The end of a named pipe out of which the output of a command comes. */
export class OutputPipe {
  readonly #path: string;
  readonly #end: number;

  constructor(path: string) {
    this.#path = path;
    this.#end = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  }

  /**
   * Copies what comes into the file `out` of a folder, as it comes, so that a later start of the program finds it. What is
   * taken out of the middle is counted in `dropped`. Tells whether all could be kept once nobody holds the pipe any more.
   * The pipe has no name from then on.
   */
  copyInto(folder: string): Promise<'whole' | 'cut'> {
    // A socket to Node is any stream that it can wait for without a thread.
    const source = new Socket({ fd: this.#end, readable: true });
    // What a command leaves running does not keep the program from ending.
    source.unref();
    const file = new OutputFile(folder);
    source.on('data', (bytes: Buffer) => file.add(bytes));
    source.once('error', () => file.cut());
    rmSync(this.#path, { force: true });
    return new Promise((resolve) => source.once('close', () => resolve(file.close())));
  }
}

class OutputFile {
  readonly #folder: string;
  readonly #file: number | undefined;
  #size = 0;
  #isCut: boolean;

  constructor(folder: string) {
    this.#folder = folder;
    this.#file = openIfPossible(join(folder, 'out'));
    this.#isCut = this.#file === undefined;
  }

  /** A full disk costs the rest of the output, never the command: the pipe is read on. */
  add(bytes: Buffer): void {
    if (this.#isCut || this.#file === undefined) return;
    try {
      const written = writeSync(this.#file, bytes);
      this.#size += written;
      this.#isCut = written < bytes.length;
      if (this.#size > mostBytes) this.#dropMiddle(this.#file);
    } catch {
      this.cut();
    }
  }

  /** Keeps nothing more. */
  cut(): void {
    this.#isCut = true;
  }

  #dropMiddle(file: number): void {
    const tail = Buffer.alloc(tailBytes);
    readSync(file, tail, { position: this.#size - tailBytes });
    appendFileSync(join(this.#folder, 'dropped'), `${this.#size - headBytes - tailBytes}\n`);
    ftruncateSync(file, headBytes);
    writeSync(file, tail);
    this.#size = headBytes + tailBytes;
  }

  close(): 'whole' | 'cut' {
    if (this.#file !== undefined) closeSync(this.#file);
    return this.#isCut ? 'cut' : 'whole';
  }
}

function openIfPossible(path: string): number | undefined {
  try {
    return openSync(path, 'a+', 0o600);
  } catch {
    return undefined;
  }
}

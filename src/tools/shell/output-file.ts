import {
  appendFileSync,
  closeSync,
  constants,
  ftruncateSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';

/** Of an output that grows beyond the most, the middle is dropped, so that the head and this much of the end are left. */
export const mostBytes = 64 * 1024 * 1024;
export const headBytes = 1024 * 1024;
export const tailBytes = 1024 * 1024;

/**
 * Copies what comes out of a pipe into the file `out` of a folder, as it comes, so that a later start of the program
 * finds it. What is taken out of the middle is counted in `dropped`. Tells whether all could be kept once nobody holds
 * the pipe any more. The pipe has no name from then on.
 */
export function copyOutput(pipe: string, folder: string): Promise<'whole' | 'cut'> {
  const file = new OutputFile(folder);
  // A socket to Node is any stream that it can wait for without a thread.
  const source = new Socket({ fd: openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK), readable: true });
  unlinkSync(pipe);
  // What a command leaves running does not keep the program from ending.
  source.unref();
  source.on('data', (bytes: Buffer) => file.add(bytes));
  source.once('error', () => file.cut());
  return new Promise((resolve) => source.once('close', () => resolve(file.close())));
}

class OutputFile {
  readonly #folder: string;
  readonly #file: number;
  #size = 0;
  #isCut = false;

  constructor(folder: string) {
    this.#folder = folder;
    this.#file = openSync(join(folder, 'out'), 'a+', 0o600);
  }

  /** A full disk costs the rest of the output, never the command: the pipe is read on. */
  add(bytes: Buffer): void {
    if (this.#isCut) return;
    try {
      const written = writeSync(this.#file, bytes);
      this.#size += written;
      this.#isCut = written < bytes.length;
      if (this.#size > mostBytes) this.#dropMiddle();
    } catch {
      this.cut();
    }
  }

  /** Keeps nothing more. */
  cut(): void {
    this.#isCut = true;
  }

  #dropMiddle(): void {
    const tail = Buffer.alloc(tailBytes);
    readSync(this.#file, tail, { position: this.#size - tailBytes });
    appendFileSync(join(this.#folder, 'dropped'), `${this.#size - headBytes - tailBytes}\n`);
    ftruncateSync(this.#file, headBytes);
    writeSync(this.#file, tail);
    this.#size = headBytes + tailBytes;
  }

  close(): 'whole' | 'cut' {
    closeSync(this.#file);
    return this.#isCut ? 'cut' : 'whole';
  }
}

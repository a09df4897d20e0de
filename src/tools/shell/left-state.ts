import type { Readable } from 'node:stream';

// Far more than any system lets a program be started with.
const largestState = 16 * 1024 * 1024;
const silenceMs = 300;

/**
 * What a shell writes to a pipe of its own about its environment and folder. Only one whole account counts: it stands
 * alone between two NULs, which neither a variable nor a path can hold.
 */
export class LeftState {
  readonly #pipe: Readable | undefined;
  readonly #told = Promise.withResolvers<void>();
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(pipe: Readable | undefined) {
    this.#pipe = pipe;
    // From the beginning: once a process has ended, Node drops what nobody has asked for.
    pipe?.on('data', (bytes: Buffer) => this.#add(bytes));
    pipe?.once('close', () => this.#told.resolve());
    if (pipe === undefined) this.#told.resolve();
  }

  #add(bytes: Buffer): void {
    this.#length += bytes.length;
    if (this.#length <= largestState) this.#chunks.push(bytes);
    else this.#chunks = [];
    if (this.#length > 1 && bytes.at(-1) === 0) this.#told.resolve();
  }

  /** The account of a shell that has ended; undefined where there is none that is whole. */
  async take(): Promise<Buffer | undefined> {
    // A shell that was replaced or killed tells nothing, and a process that it left behind may hold the pipe for ever.
    const giveUp = setTimeout(() => this.#told.resolve(), silenceMs);
    await this.#told.promise;
    clearTimeout(giveUp);
    this.#pipe?.destroy();
    return unwrap(Buffer.concat(this.#chunks));
  }
}

function unwrap(bytes: Buffer): Buffer | undefined {
  const end = bytes.length - 1;
  return bytes[0] === 0 && bytes.indexOf(0, 1) === end ? bytes.subarray(1, end) : undefined;
}

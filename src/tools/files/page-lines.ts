export interface LineWindow {
  /** The first line, counted from one. */
  readonly offset: number;
  readonly limit: number;
}

export interface LinePage {
  readonly lines: readonly string[];
  readonly totalLines: number;
}

const longestLine = 2000;
// A character takes at most four bytes; one more, to see that a line goes on.
const mostBytes = 4 * longestLine + 1;
const newline = 10;

/** Takes the lines of a window out of a stream of bytes and counts them all. A last line needs no newline to count. */
export async function pageLines(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  window: LineWindow,
): Promise<LinePage> {
  const page = new PageBuilder(window);
  for await (const chunk of chunks) page.add(chunk);
  return page.finish();
}

/** Holds the bytes of the current line, no more than can be shown of it, and the finished lines of the window. */
class PageBuilder {
  readonly #window: LineWindow;
  readonly #lines: string[] = [];
  #number = 1;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #lineBytes = 0;

  constructor(window: LineWindow) {
    this.#window = window;
  }

  add(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#extend(chunk, start, end);
      this.#endLine();
      start = end + 1;
    }
    this.#extend(chunk, start, chunk.length);
  }

  finish(): LinePage {
    if (this.#lineBytes > 0) this.#endLine();
    return { lines: this.#lines, totalLines: this.#number - 1 };
  }

  #extend(chunk: Buffer, start: number, end: number): void {
    this.#lineBytes += end - start;
    const stop = Math.min(end, start + mostBytes - this.#keptBytes);
    if (!this.#isInWindow() || stop === start) return;
    // A copy: the reader uses its buffer again for the next chunk.
    const piece = Buffer.from(chunk.subarray(start, stop));
    this.#kept.push(piece);
    this.#keptBytes += piece.length;
  }

  #endLine(): void {
    if (this.#isInWindow()) this.#lines.push(this.#showLine());
    this.#number += 1;
    this.#kept = [];
    this.#keptBytes = 0;
    this.#lineBytes = 0;
  }

  #isInWindow(): boolean {
    return this.#number >= this.#window.offset && this.#number < this.#window.offset + this.#window.limit;
  }

  #showLine(): string {
    const text = Buffer.concat(this.#kept).toString('utf8').replace(/\r$/, '');
    const visible = this.#number === 1 ? text.replace(/^\uFEFF/, '') : text;
    if (visible.length <= longestLine) return visible;
    return `${visible.slice(0, longestLine).toWellFormed()} [… line of ${this.#lineBytes} bytes cut]`;
  }
}

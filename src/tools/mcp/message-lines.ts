/** What came out of a stream so far: whole lines, each at most so long, or the word that one is too long. */
export type LinesRead = { readonly type: 'lines'; readonly lines: readonly string[] } | { readonly type: 'too-long' };

/** Puts lines together from the pieces in which they arrive. A long one is copied once, however many its pieces are. */
export class MessageLines {
  readonly #longest: number;
  #pieces: Buffer[] = [];
  #size = 0;

  constructor(longest: number) {
    this.#longest = longest;
  }

  take(chunk: Buffer): LinesRead {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#keep(chunk.subarray(start, end));
      if (this.#size > this.#longest) return { type: 'too-long' };
      lines.push(this.#flush());
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    return this.#size > this.#longest ? { type: 'too-long' } : { type: 'lines', lines };
  }

  #keep(piece: Buffer): void {
    if (piece.length > 0) this.#pieces.push(piece);
    this.#size += piece.length;
  }

  #flush(): string {
    const line = Buffer.concat(this.#pieces, this.#size).toString('utf8');
    this.#pieces = [];
    this.#size = 0;
    return line;
  }
}

/** One thing that the script elsewhere has said. */
export interface Answer {
  readonly name: string;
  readonly bytes: Buffer;
}

// Far more than the script ever sends at once.
const largestAnswer = 4 * 1024 * 1024;
const longestLine = 100;

/** Takes the answers out of what comes from elsewhere, in pieces of any size. What stands before the mark is not ours. */
export class AnswerReader {
  readonly #mark: Buffer;
  #hasBegun = false;
  #rest: Buffer = Buffer.alloc(0);

  constructor(mark: string) {
    this.#mark = Buffer.from(`\n${mark}\n`);
  }

  /** The answers that are whole with this piece; undefined where it is none of what the script says. */
  read(piece: Buffer): readonly Answer[] | undefined {
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    if (!this.#hasBegun && !this.#findBeginning()) return [];
    const answers: Answer[] = [];
    for (;;) {
      const next = this.#next();
      if (next === 'broken') return undefined;
      if (next === 'unfinished') return answers;
      answers.push(next);
    }
  }

  #findBeginning(): boolean {
    const at = this.#rest.indexOf(this.#mark);
    this.#hasBegun = at !== -1;
    // Of what is not ours only as much is kept as may be the beginning of the mark.
    this.#rest = this.#rest.subarray(this.#hasBegun ? at + this.#mark.length : -this.#mark.length);
    return this.#hasBegun;
  }

  #next(): Answer | 'unfinished' | 'broken' {
    const end = this.#rest.indexOf('\n');
    if (end === -1) return this.#rest.length > longestLine ? 'broken' : 'unfinished';
    const [, name = '', size = ''] = /^(\w+) (\d+)$/.exec(this.#rest.toString('latin1', 0, end)) ?? [];
    if (name === '' || Number(size) > largestAnswer) return 'broken';
    const from = end + 1;
    const to = from + Number(size);
    if (this.#rest.length < to) return 'unfinished';
    const bytes = this.#rest.subarray(from, to);
    this.#rest = this.#rest.subarray(to);
    return { name, bytes };
  }
}

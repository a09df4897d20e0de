/** Puts together what was entered in several lines: a line that ends in a backslash goes on, and so does a paste. */
export class MessageLines {
  #lines: string[] = [];
  #isContinued = false;

  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  /** Whether it has more than one line: then it is a text, whatever its lines begin with. */
  get isOfSeveral(): boolean {
    return this.#lines.length > 1;
  }

  /** Whether the last line said that there is more to come. */
  get isContinued(): boolean {
    return this.#isContinued;
  }

  /** A line as it stands: in a paste a backslash at its end belongs to it. */
  addPasted(line: string): void {
    this.#isContinued = false;
    this.#lines.push(line);
  }

  add(line: string): void {
    this.#isContinued = line.endsWith('\\');
    this.#lines.push(this.#isContinued ? line.slice(0, -1) : line);
  }

  /** The whole message; the next line begins a new one. */
  take(): string {
    const text = this.#lines.join('\n');
    this.#lines = [];
    this.#isContinued = false;
    return text;
  }
}

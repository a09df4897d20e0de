/** Puts together what was entered in several lines: a line that ends in a backslash goes on, and so does a paste. */
export class MessageLines {
  #lines: string[] = [];
  #isContinued = false;

  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  /** Whether the last line said that there is more to come. */
  get isContinued(): boolean {
    return this.#isContinued;
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

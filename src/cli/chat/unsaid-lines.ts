import type { TerminalInput } from '../../model/channel.ts';
import type { TypedLine } from './typed-line.ts';

/** What was typed and not dealt with so far, oldest first: a line stays here until someone has taken it in or refused it. */
export class UnsaidLines {
  readonly #lines = new Set<TypedLine>();
  /** Given to someone who has not answered. */
  #doubtful: TypedLine | undefined;

  add(line: TypedLine): void {
    this.#lines.add(line);
  }

  handOver(input: TerminalInput, to: 'to-someone' | 'to-nobody-yet'): void {
    if (input.type === 'line' && to === 'to-someone' && this.#lines.has(input)) this.#doubtful = input;
  }

  settle(input: TerminalInput): void {
    if (input.type !== 'line') return;
    this.#lines.delete(input);
    this.#doubtful = undefined;
  }

  /** Whether it is not known of one of them what became of it. */
  get isDoubtful(): boolean {
    return this.#doubtful !== undefined;
  }

  /** `toSee` is the command that shows what became of a line, if anything did. */
  describe(toSee: string): readonly string[] {
    return [...this.#lines].map((line) =>
      line === this.#doubtful
        ? `The gateway went before it said whether it took this in; ${toSee} shows it if so: ${line.text}`
        : `Not sent: ${line.text}`,
    );
  }
}

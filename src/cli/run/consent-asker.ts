import type { Interface } from 'node:readline/promises';
import type { Verdict } from '../../model/turn.ts';
import type { ProcessPort } from '../app-port.ts';
import { makeVisible } from '../render/neutralise.ts';
import { chooseStyle } from '../render/style.ts';
import { readVerdict } from '../read-verdict.ts';

/** Asks the person at the terminal, on stderr, so that stdout stays the reply's. */
export class ConsentAsker implements Disposable {
  readonly #process: ProcessPort;
  readonly #leaving = new AbortController();

  constructor(process: ProcessPort) {
    this.#process = process;
  }

  /** Shows everything that would run and reads a yes or a no. No answer at all is a no. */
  async ask(question: string): Promise<Verdict> {
    const { stdin, stderr, env } = this.#process;
    const { createInterface } = await import('node:readline/promises');
    const style = chooseStyle({ isTerminal: stderr.isTTY, env });
    stderr.write(`This needs your consent:\n${style.bold(makeVisible(question))}\n`);
    // Not in raw mode: Ctrl-C stays a signal, and the terminal itself echoes the line.
    using lines = createInterface({ input: stdin, output: stderr, terminal: false });
    for (;;) {
      const verdict = readVerdict(await this.#readLine(lines));
      if (verdict !== 'unclear') return verdict;
      stderr.write('Please answer y or n.\n');
    }
  }

  [Symbol.dispose](): void {
    this.#leaving.abort();
  }

  async #readLine(lines: Interface): Promise<string> {
    const ended = new Promise<string>((resolve) => {
      lines.once('close', () => resolve(''));
    });
    const { signal } = this.#leaving;
    // It is rejected only when nobody waits for the answer any more.
    const answered = lines.question('Allow this? [y/N] ', { signal }).catch(() => '');
    return await Promise.race([answered, ended]);
  }
}

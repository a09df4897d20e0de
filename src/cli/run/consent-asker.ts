import type { Interface } from 'node:readline/promises';
import type { ConsentOffer } from '../../model/channel.ts';
import type { ProcessPort } from '../app-port.ts';
import { makeVisible } from '../render/neutralise.ts';
import { chooseStyle } from '../render/style.ts';
import { readReply, replyPrompt } from '../read-reply.ts';
import type { Reply } from '../read-reply.ts';

/** Asks the person at the terminal, on stderr, so that stdout stays the reply's. */
export class ConsentAsker implements Disposable {
  readonly #process: ProcessPort;
  readonly #leaving = new AbortController();

  constructor(process: ProcessPort) {
    this.#process = process;
  }

  /** Shows everything that would run and reads the answer. No answer at all is a no. */
  async ask(question: string, offer: ConsentOffer | undefined): Promise<Reply> {
    const { stdin, stderr, env } = this.#process;
    const { createInterface } = await import('node:readline/promises');
    const style = chooseStyle({ isTerminal: stderr.isTTY, env });
    stderr.write(`This needs your consent:\n${style.bold(makeVisible(question))}\n`);
    // Not in raw mode: Ctrl-C stays a signal, and the terminal itself echoes the line.
    using lines = createInterface({ input: stdin, output: stderr, terminal: false });
    for (;;) {
      const reply = readReply(await this.#readLine(lines, offer), offer);
      if (reply !== 'unclear') return reply;
      stderr.write('Please answer y or n.\n');
    }
  }

  [Symbol.dispose](): void {
    this.#leaving.abort();
  }

  async #readLine(lines: Interface, offer: ConsentOffer | undefined): Promise<string> {
    const ended = new Promise<string>((resolve) => {
      lines.once('close', () => resolve(''));
    });
    const { signal } = this.#leaving;
    // It is rejected only when nobody waits for the answer any more.
    const answered = lines.question(replyPrompt(offer), { signal }).catch(() => '');
    return await Promise.race([answered, ended]);
  }
}

import { consentHeading } from '../../model/channel.ts';
import type { ConsentOffer } from '../../model/channel.ts';
import type { ProcessPort } from '../app-port.ts';
import { makeVisible } from '../render/neutralise.ts';
import { chooseStyle } from '../render/style.ts';
import { wrapConsent } from '../render/wrap-consent.ts';
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
    const { stderr, env } = this.#process;
    const { TypedAnswers } = await import('./typed-answers.ts');
    const style = chooseStyle({ isTerminal: stderr.isTTY, env });
    using answers = new TypedAnswers(this.#process);
    await answers.begin();
    const columns = stderr.isTTY ? stderr.columns : undefined;
    const shown = wrapConsent(makeVisible(question), columns);
    stderr.write(`${consentHeading}\n${style.bold(shown)}\n`);
    for (;;) {
      stderr.write(replyPrompt(offer, columns));
      const answer = await answers.next(this.#leaving.signal);
      const reply = answer.type === 'pasted' ? 'unclear' : readReply(answer.type === 'typed' ? answer.line : '', offer);
      if (reply !== 'unclear') return reply;
      stderr.write(answer.type === 'pasted' ? 'What is pasted is no answer.\n' : 'Please answer y or n.\n');
    }
  }

  [Symbol.dispose](): void {
    this.#leaving.abort();
  }
}

import { AsyncQueue } from '../../base/async-queue.ts';
import type { Outbound, TerminalInput, TerminalPort } from '../../model/channel.ts';
import type { ProcessPort } from '../app-port.ts';
import type { ConsentAsker } from './consent-asker.ts';
import type { RunOutput } from './run-output.ts';

export interface RunPortOptions {
  /** What becomes of an act that needs consent: a person is asked, it is allowed, or nobody can be asked. */
  readonly acts: 'asked' | 'allowed' | 'refused';
  /** Whether a person can be asked about anything else. */
  readonly person: 'there' | 'absent';
  readonly output: Pick<RunOutput, 'show'>;
  readonly process: ProcessPort;
}

/** The terminal of a command that says its own lines: what comes in here is answers, of a person or of the command line. */
export class RunPort implements TerminalPort, Disposable {
  readonly #options: RunPortOptions;
  readonly #answers = new AsyncQueue<TerminalInput>();
  readonly #asked = new Map<string, ConsentAsker>();

  constructor(options: RunPortOptions) {
    this.#options = options;
  }

  get asks(): 'yes' | 'no' {
    return this.#options.acts === 'refused' ? 'no' : 'yes';
  }

  read(signal: AbortSignal): AsyncIterable<TerminalInput> {
    signal.addEventListener('abort', () => this.#answers.close(), { once: true });
    return this.#answers;
  }

  async show(message: Outbound): Promise<void> {
    const { kind, digest } = message;
    if (kind === 'question' && digest !== undefined) await this.#answer(message, digest);
    else this.#options.output.show(message);
  }

  /** Someone else was faster, or nobody needs to know any more. */
  conclude({ digest = '' }: Outbound, ending: string): void {
    const asker = this.#asked.get(digest);
    if (asker === undefined) return;
    this.#asked.delete(digest);
    asker[Symbol.dispose]();
    this.#options.process.stderr.write(`\n${ending}\n`);
  }

  [Symbol.dispose](): void {
    for (const asker of this.#asked.values()) asker[Symbol.dispose]();
  }

  async #ask(asker: ConsentAsker, { text, offer }: Outbound, digest: string): Promise<void> {
    const reply = await asker.ask(text, offer);
    if (this.#asked.delete(digest)) this.#answers.push({ type: 'answer', digest, ...reply });
  }

  async #answer(question: Outbound, digest: string): Promise<void> {
    const { acts, person, process } = this.#options;
    const isAllowed = question.about === 'act' && acts === 'allowed';
    // Here is nobody who could say more than yes or no.
    if (isAllowed || person === 'absent' || question.about === 'choice') {
      const said = isAllowed ? ({ verdict: 'approved', rule: 'yes' } as const) : ({ verdict: 'denied' } as const);
      this.#answers.push({ type: 'answer', digest, ...said });
      return;
    }
    const { ConsentAsker } = await import('./consent-asker.ts');
    const asker = new ConsentAsker(process);
    this.#asked.set(digest, asker);
    // Shown is not yet answered: a stop must be able to overtake the person.
    void this.#ask(asker, question, digest);
  }
}

import { AsyncQueue } from '../../base/async-queue.ts';
import type { Outbound, TerminalInput, TerminalPort } from '../../model/channel.ts';
import type { ProcessPort } from '../app-port.ts';
import type { RunOutput } from './run-output.ts';

/** The terminal of a command that says its own lines: what comes in here is answers, where a person can be asked. */
export class RunPort implements TerminalPort, Disposable {
  readonly asks: 'yes' | 'no';
  readonly #answers = new AsyncQueue<TerminalInput>();
  readonly #output: Pick<RunOutput, 'show'>;
  readonly #process: ProcessPort;
  readonly #closing = new DisposableStack();

  constructor(asks: 'yes' | 'no', output: Pick<RunOutput, 'show'>, process: ProcessPort) {
    this.asks = asks;
    this.#output = output;
    this.#process = process;
  }

  read(signal: AbortSignal): AsyncIterable<TerminalInput> {
    signal.addEventListener('abort', () => this.#answers.close(), { once: true });
    return this.#answers;
  }

  async show(message: Outbound): Promise<void> {
    const { kind, digest, text } = message;
    if (kind !== 'question' || digest === undefined) {
      this.#output.show(message);
      return;
    }
    const { ConsentAsker } = await import('./consent-asker.ts');
    const asker = this.#closing.use(new ConsentAsker(this.#process));
    // Shown is not yet answered: a stop must be able to overtake the person.
    void asker.ask(text).then((verdict) => this.#answers.push({ type: 'answer', digest, verdict }));
  }

  [Symbol.dispose](): void {
    this.#closing.dispose();
  }
}

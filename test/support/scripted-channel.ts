import { AsyncQueue } from '../../src/base/async-queue.ts';
import type { Channel, Inbound, Outbound, Preview, Receipt } from '../../src/model/channel.ts';

/** A chat platform for tests: whoever writes the test says what arrives, and what becomes of what is sent. */
export class ScriptedChannel implements Channel {
  readonly name: string;
  readonly traits = { maxLength: Infinity, resend: 'marked', asks: 'yes', streams: 'yes' } as const;
  readonly sent: Outbound[] = [];
  readonly previews: Preview[] = [];
  readonly concluded: string[] = [];
  readonly arriving = new AsyncQueue<Inbound>();
  /** What becomes of the next messages; left out: they are sent. */
  readonly receipts: (Receipt | Promise<Receipt>)[] = [];
  readonly #watchers = new Set<() => void>();

  constructor(name = 'test') {
    this.name = name;
  }

  get texts(): readonly string[] {
    return this.sent.map(({ text, copy }) => (copy === 'first' ? text : `${text} (${copy})`));
  }

  serves(address: { readonly platform: string }): boolean {
    return address.platform === this.name;
  }

  async *receive(signal: AbortSignal): AsyncGenerator<Inbound, void> {
    signal.addEventListener('abort', () => this.arriving.close(), { once: true });
    yield* this.arriving;
  }

  async send(message: Outbound): Promise<Receipt> {
    this.sent.push(message);
    const receipt = this.receipts.shift();
    for (const wake of this.#watchers) wake();
    this.#watchers.clear();
    return (await receipt) ?? { type: 'sent', platformId: String(this.sent.length) };
  }

  preview(preview: Preview): Promise<void> {
    this.previews.push(preview);
    return Promise.resolve();
  }

  conclude(_question: Outbound, platformId: string, ending: string): Promise<void> {
    this.concluded.push(`${platformId}: ${ending}`);
    return Promise.resolve();
  }

  /** Resolves once so many messages were sent, whatever became of them. */
  async whenSent(count: number): Promise<void> {
    while (this.sent.length < count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#watchers.add(resolve);
      await promise;
    }
  }
}

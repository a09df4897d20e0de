import { createHash, timingSafeEqual } from 'node:crypto';
import type { Update } from 'grammy/types';
import type { Clock } from '../../base/clock.ts';
import { isJsonObject } from '../../base/json.ts';
import { HandledUpdates } from './handled-updates.ts';
import { isStop } from './hear-stops.ts';

/** What is answered to Telegram: only `accepted` is a 200, everything else is delivered again. */
export type WebhookAnswer = 'accepted' | 'forbidden' | 'malformed' | 'not-listening';

interface Arrival {
  readonly update: Update;
  readonly settle: (answer: WebhookAnswer) => void;
}

// Telegram brings several at once, and the later of two may be here first.
const orderMs = 100;

/** Updates that Telegram brings itself. Each is answered for only when it was dealt with, or will not be. */
export class Webhook {
  readonly #secret: Buffer;
  readonly #clock: Clock;
  readonly #handled = new HandledUpdates();
  /** What was brought and is not answered for. */
  readonly #waiting = new Set<Arrival>();
  readonly #watchers = new Set<() => void>();
  #last: number | undefined;
  #isListening = false;

  constructor(secret: string, clock: Clock) {
    this.#secret = digestOf(secret);
    this.#clock = clock;
  }

  /** Whether this is the secret by which Telegram is known. */
  knows(secret: string): boolean {
    // Digests have one length, so that comparing them tells nothing about the secret, its length included.
    return timingSafeEqual(digestOf(secret), this.#secret);
  }

  /** Takes one request. The secret is what Telegram sends as X-Telegram-Bot-Api-Secret-Token. */
  async handle(body: unknown, secret: string | undefined): Promise<WebhookAnswer> {
    if (secret === undefined || !this.knows(secret)) return 'forbidden';
    if (!isJsonObject(body) || typeof body['update_id'] !== 'number') return 'malformed';
    if (!this.#isListening) return 'not-listening';
    const { promise, resolve } = Promise.withResolvers<WebhookAnswer>();
    this.#waiting.add({ update: body as unknown as Update, settle: resolve });
    for (const tell of this.#watchers) tell();
    return await promise;
  }

  /** The updates in their own order; each counts as dealt with when the next is asked for. */
  async *updates(signal: AbortSignal): AsyncGenerator<Update, void> {
    if (signal.aborted) return;
    this.#isListening = true;
    try {
      for (;;) {
        const arrival = await this.#next(signal);
        if (arrival === undefined) return;
        const { update_id: id } = arrival.update;
        if (!this.#handled.has(id)) yield arrival.update;
        this.#handled.add(id);
        this.#last = id;
        this.#settle(arrival, 'accepted');
      }
    } finally {
      this.#isListening = false;
      for (const arrival of this.#waiting) this.#settle(arrival, 'not-listening');
    }
  }

  /**
   * The stops that are brought while something is fetched that belongs to an update, ahead of their turn. They come once more
   * in their turn, and are known by their keys then.
   */
  async *stopsDuring(work: Promise<unknown>, { update_id: current }: Update): AsyncGenerator<Update, void> {
    const heard = new Set([current]);
    const over = new AbortController();
    const end = (): void => over.abort();
    work.then(end, end);
    while (!over.signal.aborted) {
      const news = [...this.#waiting].find(({ update }) => isStop(update) && !heard.has(update.update_id));
      if (news === undefined) await this.#whenBrought(over.signal);
      else {
        heard.add(news.update.update_id);
        yield news.update;
      }
    }
  }

  /** The oldest that is here; where one is missing before it, that one gets a moment to come. */
  async #next(signal: AbortSignal): Promise<Arrival | undefined> {
    while (this.#waiting.size === 0 && !signal.aborted) await this.#whenBrought(signal);
    const isNext = (this.#oldest()?.update.update_id ?? 0) <= (this.#last ?? -Infinity) + 1;
    if (!isNext) await this.#clock.sleep(orderMs, signal).catch(() => undefined);
    return signal.aborted ? undefined : this.#oldest();
  }

  #oldest(): Arrival | undefined {
    const [oldest] = [...this.#waiting].toSorted((left, right) => left.update.update_id - right.update.update_id);
    return oldest;
  }

  /** Resolves with the next request, or when the signal aborts. */
  async #whenBrought(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    this.#watchers.add(wake);
    signal.addEventListener('abort', wake, { once: true });
    await promise;
    this.#watchers.delete(wake);
    signal.removeEventListener('abort', wake);
  }

  #settle(arrival: Arrival, answer: WebhookAnswer): void {
    this.#waiting.delete(arrival);
    arrival.settle(answer);
  }
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

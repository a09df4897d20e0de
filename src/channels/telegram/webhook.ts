import { createHash, timingSafeEqual } from 'node:crypto';
import type { Update } from 'grammy/types';
import { AsyncQueue } from '../../base/async-queue.ts';
import { isJsonObject } from '../../base/json.ts';
import { HandledUpdates } from './handled-updates.ts';

/** What is answered to Telegram: only `accepted` is a 200, everything else is delivered again. */
export type WebhookAnswer = 'accepted' | 'forbidden' | 'malformed' | 'not-listening';

interface Arrival {
  readonly update: Update;
  readonly settle: (answer: WebhookAnswer) => void;
}

/** Updates that Telegram brings itself. Each is answered for only when it was dealt with, or will not be. */
export class Webhook {
  readonly #secret: Buffer;
  readonly #handled = new HandledUpdates();
  readonly #waiting = new Set<Arrival>();
  #arrivals: AsyncQueue<Arrival> | undefined;

  constructor(secret: string) {
    this.#secret = digestOf(secret);
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
    if (this.#arrivals === undefined) return 'not-listening';
    const { promise, resolve } = Promise.withResolvers<WebhookAnswer>();
    const arrival: Arrival = { update: body as unknown as Update, settle: resolve };
    this.#waiting.add(arrival);
    this.#arrivals.push(arrival);
    return await promise;
  }

  /** The updates in the order in which they were brought; each counts as dealt with when the next is asked for. */
  async *updates(signal: AbortSignal): AsyncGenerator<Update, void> {
    if (signal.aborted) return;
    const arrivals = new AsyncQueue<Arrival>();
    const close = (): void => arrivals.close();
    signal.addEventListener('abort', close, { once: true });
    this.#arrivals = arrivals;
    try {
      for await (const arrival of arrivals) {
        if (signal.aborted) return;
        if (!this.#handled.has(arrival.update.update_id)) yield arrival.update;
        this.#handled.add(arrival.update.update_id);
        this.#settle(arrival, 'accepted');
      }
    } finally {
      signal.removeEventListener('abort', close);
      this.#arrivals = undefined;
      for (const arrival of this.#waiting) this.#settle(arrival, 'not-listening');
    }
  }

  #settle(arrival: Arrival, answer: WebhookAnswer): void {
    this.#waiting.delete(arrival);
    arrival.settle(answer);
  }
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

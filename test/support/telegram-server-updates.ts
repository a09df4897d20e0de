import type { Update } from 'grammy/types';
import type { CallParameters } from './telegram-server-chats.ts';
import { TelegramRefusal } from './telegram-server-faults.ts';

interface Poll {
  readonly answer: (updates: readonly Update[]) => void;
  readonly refuse: (refusal: TelegramRefusal) => void;
}

const defaultLimit = 100;

/** The updates of a bot: kept until a higher offset is asked for, handed out to one poller at a time. */
export class TelegramUpdates {
  /** How an answer is put together: as it should be, with every update in it twice, the last one first, or both. */
  order: 'in-order' | 'doubled' | 'reversed' | 'doubled-and-reversed' = 'in-order';
  webhook = '';
  #pending: Update[] = [];
  #poll: Poll | undefined;

  get pending(): readonly Update[] {
    return this.#pending;
  }

  push(update: Update): void {
    this.#pending.push(update);
    this.#poll?.answer([]);
  }

  /** The first one was brought to the webhook and accepted. */
  accept(update: Update): void {
    this.#pending = this.#pending.filter(({ update_id: id }) => id !== update.update_id);
  }

  async get(parameters: CallParameters, gone: AbortSignal): Promise<readonly Update[]> {
    if (this.webhook !== '') {
      throw conflict(
        "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      );
    }
    this.#poll?.refuse(
      conflict('terminated by other getUpdates request; make sure that only one bot instance is running'),
    );
    this.#confirm(Number(parameters['offset'] ?? 0));
    const limit = Number(parameters['limit'] ?? defaultLimit);
    if (this.#pending.length === 0) await this.#whenPushed(Number(parameters['timeout'] ?? 0), gone);
    return this.#arrange(this.#pending.slice(0, limit));
  }

  /** An update counts as dealt with as soon as an offset above it is asked for. */
  #confirm(offset: number): void {
    if (offset > 0) this.#pending = this.#pending.filter((update) => update.update_id >= offset);
  }

  async #whenPushed(seconds: number, gone: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly Update[]>();
    const poll: Poll = { answer: resolve, refuse: reject };
    this.#poll = poll;
    const timer = setTimeout(() => resolve([]), seconds * 1000);
    gone.addEventListener('abort', () => resolve([]), { once: true });
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      if (this.#poll === poll) this.#poll = undefined;
    }
  }

  #arrange(updates: readonly Update[]): readonly Update[] {
    switch (this.order) {
      case 'in-order':
        return updates;
      case 'doubled':
        return updates.flatMap((update) => [update, update]);
      case 'doubled-and-reversed':
        return updates.flatMap((update) => [update, update]).toReversed();
      case 'reversed':
        return updates.toReversed();
    }
  }
}

function conflict(reason: string): TelegramRefusal {
  return new TelegramRefusal(409, `Conflict: ${reason}`);
}

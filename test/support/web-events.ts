import type { IncomingMessage } from 'node:http';
import { createParser } from 'eventsource-parser';

export interface WebEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A stream of events as it comes in, to be waited for. */
export interface WebEvents extends Disposable {
  readonly status: number;
  readonly events: readonly WebEvent[];
  /** Resolves with the first event that fits, past or future. */
  when(fits: (event: WebEvent) => boolean): Promise<WebEvent>;
  readonly ended: Promise<void>;
}

export function readEvents(response: IncomingMessage): WebEvents {
  const events: WebEvent[] = [];
  const watchers = new Set<() => void>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const parser = createParser({
    onEvent({ event = '', id, data }) {
      events.push({ event, id, data: JSON.parse(data) as WebEvent['data'] });
      for (const wake of watchers) wake();
    },
  });
  response.on('data', (chunk) => parser.feed(String(chunk)));
  // A stream that is cut off is over as well.
  response.on('error', () => response.destroy());
  response.on('close', end);
  return {
    status: response.statusCode ?? 0,
    events,
    ended,
    async when(fits) {
      for (;;) {
        const found = events.find(fits);
        if (found) return found;
        const { promise, resolve } = Promise.withResolvers<void>();
        watchers.add(resolve);
        await promise;
        watchers.delete(resolve);
      }
    },
    [Symbol.dispose]: () => void response.destroy(),
  };
}

/** The texts of what is kept, in order. */
export function itemTexts(events: readonly WebEvent[]): readonly string[] {
  return events
    .filter(({ event }) => event === 'item')
    .map(({ data }) => `${String(data['type'])}: ${String(data['text'])}`);
}

export function isReply(text: string): (event: WebEvent) => boolean {
  return ({ event, data }) => event === 'item' && data['type'] === 'reply' && data['text'] === text;
}

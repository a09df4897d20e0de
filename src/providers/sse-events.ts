import { createParser } from 'eventsource-parser';

import type { BodyPiece, TransportFailure } from './transport.ts';

export type SseItem =
  | { readonly type: 'data'; readonly data: string }
  | { readonly type: 'failed'; readonly failure: TransportFailure };

export interface SseLimits {
  readonly eventCharacters: number;
  readonly totalBytes: number;
}

/** More than any answer needs, and less than a server needs to fill our memory. */
const defaultLimits: SseLimits = { eventCharacters: 16_000_000, totalBytes: 64_000_000 };

/** The data of each event of a body, in order. A failure, of the transport or of a limit, is the last item. */
export async function* readSseEvents(
  body: AsyncIterable<BodyPiece>,
  limits: SseLimits = defaultLimits,
): AsyncGenerator<SseItem, void> {
  const waiting: SseItem[] = [];
  const decoder = new TextDecoder();
  const parser = createParser({
    maxBufferSize: limits.eventCharacters,
    onEvent: (event) => waiting.push({ type: 'data', data: event.data }),
    onError: (error) => {
      // Fields that the standard does not know are to be ignored; only a full buffer is the end.
      if (error.type === 'max-buffer-size-exceeded') waiting.push(tooLarge('an event', limits.eventCharacters));
    },
  });
  let totalBytes = 0;
  for await (const piece of body) {
    if (piece.type === 'failed') {
      yield piece;
      return;
    }
    totalBytes += piece.bytes.length;
    parser.feed(decoder.decode(piece.bytes, { stream: true }));
    if (totalBytes > limits.totalBytes) waiting.push(tooLarge('the answer', limits.totalBytes));
    for (const item of waiting.splice(0)) {
      yield item;
      if (item.type === 'failed') return;
    }
  }
}

function tooLarge(what: string, limit: number): SseItem {
  return { type: 'failed', failure: { type: 'protocol', message: `${what} is larger than ${limit} bytes` } };
}

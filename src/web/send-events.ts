import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import { once } from 'node:events';
import { describeError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { StreamEvent } from './follow-chat.ts';
import type { WebEnv } from './web-env.ts';

export interface EventSource {
  readonly events: AsyncIterable<StreamEvent>;
  /** Aborts with `close`. */
  readonly signal: AbortSignal;
  /** Has the events end; called once nobody reads them any more. */
  readonly close: () => void;
  readonly log: Log;
}

/**
 * Answers with events as they come, until there are no more or the reader is gone. They are written to the connection
 * itself: by way of web streams each would cost several times as much.
 */
export function sendEvents(c: Context<WebEnv>, source: EventSource): Response {
  const { outgoing } = c.env;
  outgoing.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  outgoing.once('close', source.close);
  void writeEvents(outgoing, source);
  return RESPONSE_ALREADY_SENT;
}

async function writeEvents(
  outgoing: WebEnv['Bindings']['outgoing'],
  { events, signal, close, log }: EventSource,
): Promise<void> {
  try {
    for await (const event of events) {
      if (outgoing.destroyed) break;
      // A reader that is slow holds up its own events, and nobody else. One that leaves ends the wait.
      if (!outgoing.write(frame(event))) await once(outgoing, 'drain', { signal }).catch(() => undefined);
    }
    outgoing.end();
  } catch (thrown) {
    log.write('error', 'a stream of events failed', { reason: describeError(thrown) });
    // Cut off, so that the reader comes back.
    outgoing.destroy();
  } finally {
    close();
  }
}

/** JSON has no line breaks, so that all of it is one line. */
function frame({ event, id, data }: StreamEvent): string {
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

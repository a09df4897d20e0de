import type { Clock } from '../base/clock.ts';
import type { ModelEvent, ModelRequest, Provider } from '../model/provider.ts';
import type { Runtime } from '../model/runtime.ts';
import { describeRefusal, isEventStream } from './answer-failure.ts';
import { endOnce } from './end-once.ts';
import type { readSseEvents, SseItem } from './sse-events.ts';
import type { Transport, TransportRequest } from './transport.ts';

/** One call in the words of a protocol: what is sent, and how the events that come back are read. */
export interface WireCall {
  readonly sent: TransportRequest;
  readonly read: (items: AsyncIterable<SseItem>) => AsyncIterable<ModelEvent>;
}

export interface ClientParts {
  readonly runtime: Runtime;
  readonly transport: Transport;
  readonly clock: Clock;
  /** Puts a request into the words of the protocol. */
  readonly word: (request: ModelRequest, signal: AbortSignal) => WireCall;
}

/** A client of any protocol that answers with a stream of events. */
export function createProtocolClient(parts: ClientParts): Provider {
  // Begun with the first request, so that it is loaded while that is on its way.
  let loading: Promise<EventReader> | undefined;
  const load = (): Promise<EventReader> => (loading ??= import('./sse-events.ts'));
  return {
    stream: (request, signal) => endOnce(stream({ ...parts, load }, request, signal), parts.runtime),
    close: () => parts.transport.close(),
  };
}

interface EventReader {
  readonly readSseEvents: typeof readSseEvents;
}

async function* stream(
  { transport, clock, word, load }: ClientParts & { readonly load: () => Promise<EventReader> },
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void> {
  if (signal.aborted) {
    yield { type: 'failed', failure: { type: 'aborted' } };
    return;
  }
  const { sent, read } = word(request, signal);
  const sending = transport.send(sent, signal);
  const [answer, reader] = await Promise.all([sending, load()]);
  if (answer.type === 'failed') yield answer;
  else if (isEventStream(answer)) yield* read(reader.readSseEvents(answer.body));
  else yield { type: 'failed', failure: await describeRefusal(answer, clock.now()) };
}

/** The address and headers of protocols that take a key as a bearer token. */
export function addressed({ baseUrl, credential }: Runtime, path: string, body: string): TransportRequest {
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'text/event-stream' };
  if (credential.type === 'key') headers['authorization'] = `Bearer ${credential.reveal().trim()}`;
  return { url: `${baseUrl.replace(/\/+$/, '')}${path}`, headers, body };
}

import { systemClock } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';
import { parseJson } from '../base/json.ts';
import type { ModelEvent, ModelRequest, Provider } from '../model/provider.ts';
import type { Runtime } from '../model/runtime.ts';
import { describeRefusal, isEventStream } from './answer-failure.ts';
import { createCallNamer } from './call-names.ts';
import { endOnce } from './end-once.ts';
import { ResponsesAnswer, cutAnswer } from './openai-responses-answer.ts';
import { comparesRequests, prepareOpenAiResponses } from './openai-responses-request.ts';
import type { SseItem } from './sse-events.ts';
import type { Transport, TransportRequest } from './transport.ts';
import { isOwnAddress } from './vendors.ts';

/** A client of OpenAI's Responses protocol: any vendor that speaks it, over any transport. */
export function createOpenAiResponses(runtime: Runtime, transport: Transport, clock: Clock = systemClock): Provider {
  const client = { runtime, transport, clock };
  return {
    stream: (request, signal) => endOnce(streamResponse(client, request, signal), runtime),
    close: () => transport.close(),
  };
}

interface Client {
  readonly runtime: Runtime;
  readonly transport: Transport;
  readonly clock: Clock;
}

async function* streamResponse(
  { runtime, transport, clock }: Client,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void> {
  if (signal.aborted) {
    yield { type: 'failed', failure: { type: 'aborted' } };
    return;
  }
  const { vendor } = runtime;
  const isAsked = vendor === 'openai' && isOwnAddress(runtime) && comparesRequests(request.model);
  const diagnostics = isAsked ? ('asked-for' as const) : undefined;
  const body = prepareOpenAiResponses(request, vendor, diagnostics);
  const sending = transport.send(addressed(runtime, body), signal);
  const [answer, { readSseEvents }] = await Promise.all([sending, import('./sse-events.ts')]);
  if (answer.type === 'failed') yield answer;
  else if (!isEventStream(answer)) yield { type: 'failed', failure: await describeRefusal(answer, clock.now()) };
  else {
    const gathered = new ResponsesAnswer({ vendor, nameCall: createCallNamer(body) }, diagnostics);
    yield* readResponse(readSseEvents(answer.body), gathered, signal);
  }
}

function addressed(runtime: Runtime, body: string): TransportRequest {
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'text/event-stream' };
  if (runtime.credential.type === 'key') headers['authorization'] = `Bearer ${runtime.credential.reveal().trim()}`;
  return { url: `${runtime.baseUrl.replace(/\/+$/, '')}/responses`, headers, body };
}

async function* readResponse(
  items: AsyncIterable<SseItem>,
  answer: ResponsesAnswer,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void> {
  for await (const item of items) {
    if (signal.aborted) {
      yield { type: 'failed', failure: { type: 'aborted' } };
      return;
    }
    if (item.type === 'failed') {
      yield item;
      return;
    }
    // The mark of another protocol, which gateways add behind the end of this one. Before that end it is no end.
    if (item.data.trim() === '[DONE]') break;
    yield* answer.take(parseJson(item.data));
  }
  yield { type: 'failed', failure: cutAnswer };
}

import { systemClock } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';
import { parseJson } from '../base/json.ts';
import type { ModelEvent, ModelRequest, Provider } from '../model/provider.ts';
import type { Runtime } from '../model/runtime.ts';
import { createCallNamer } from './call-names.ts';
import { ResponsesAnswer, cutAnswer } from './openai-responses-answer.ts';
import { comparesRequests, prepareOpenAiResponses } from './openai-responses-request.ts';
import { addressed, createProtocolClient } from './protocol-client.ts';
import type { WireCall } from './protocol-client.ts';
import type { SseItem } from './sse-events.ts';
import type { Transport } from './transport.ts';
import { isOwnAddress } from './vendors.ts';

/** A client of OpenAI's Responses protocol: any vendor that speaks it, over any transport. */
export function createOpenAiResponses(runtime: Runtime, transport: Transport, clock: Clock = systemClock): Provider {
  return createProtocolClient({ runtime, transport, clock, word: (request, signal) => word(runtime, request, signal) });
}

function word(runtime: Runtime, request: ModelRequest, signal: AbortSignal): WireCall {
  const { vendor } = runtime;
  const isAsked = vendor === 'openai' && isOwnAddress(runtime) && comparesRequests(request.model);
  const diagnostics = isAsked ? ('asked-for' as const) : undefined;
  const body = prepareOpenAiResponses(request, vendor, diagnostics);
  return {
    sent: addressed(runtime, '/responses', body),
    read: (items) =>
      readResponse(items, new ResponsesAnswer({ vendor, nameCall: createCallNamer(body) }, diagnostics), signal),
  };
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

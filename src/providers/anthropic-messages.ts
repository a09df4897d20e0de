import { systemClock } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';
import { parseJson } from '../base/json.ts';
import type { ModelEvent, ModelRequest, Provider } from '../model/provider.ts';
import type { Runtime } from '../model/runtime.ts';
import { MessageAnswer, cutAnswer } from './anthropic-messages-answer.ts';
import { prepareAnthropicMessages } from './anthropic-messages-request.ts';
import { createCallNamer } from './call-names.ts';
import { createProtocolClient } from './protocol-client.ts';
import type { WireCall } from './protocol-client.ts';
import type { SseItem } from './sse-events.ts';
import type { Transport, TransportRequest } from './transport.ts';
import { isOwnAddress } from './vendors.ts';

/** A client of Anthropic's Messages API: Anthropic itself or any vendor that speaks it, over any transport. */
export function createAnthropicMessages(runtime: Runtime, transport: Transport, clock: Clock = systemClock): Provider {
  return createProtocolClient({ runtime, transport, clock, word: (request, signal) => word(runtime, request, signal) });
}

function word(runtime: Runtime, request: ModelRequest, signal: AbortSignal): WireCall {
  const { vendor } = runtime;
  const diagnostics = vendor === 'anthropic' && isOwnAddress(runtime) ? ('asked-for' as const) : undefined;
  const options = { cacheTtl: runtime.cacheLife, vendor, ...(diagnostics && { diagnostics }) };
  const body = prepareAnthropicMessages(request, options);
  return {
    sent: { url: addressOf(runtime), headers: headersOf(runtime), body },
    read: (items) => readMessages(items, new MessageAnswer({ nameCall: createCallNamer(body), ...options }), signal),
  };
}

/** Vendors give the address of this protocol with its version, as of other protocols, or without it, as of the SDK. */
function addressOf({ baseUrl }: Runtime): string {
  const base = baseUrl.replace(/\/+$/, '');
  return /\/v\d+$/.test(base) ? `${base}/messages` : `${base}/v1/messages`;
}

/**
 * The version is the API's first, not the newer one of Anthropic's SDK, which does nothing but refuse fields that we never
 * send: every server of the protocol knows the first, and the fields of today work with it. For the same reason a key goes
 * out as `x-api-key`, though Anthropic would also take it as a bearer token. A token of OAuth is taken as nothing else.
 */
function headersOf({ credential }: Runtime): TransportRequest['headers'] {
  const headers = {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    'anthropic-version': '2023-06-01',
  };
  if (credential.type !== 'key') return headers;
  const secret = credential.reveal().trim();
  if (!secret.startsWith('sk-ant-oat')) return { ...headers, 'x-api-key': secret };
  return { ...headers, authorization: `Bearer ${secret}`, 'anthropic-beta': 'oauth-2025-04-20' };
}

async function* readMessages(
  items: AsyncIterable<SseItem>,
  answer: MessageAnswer,
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
    yield* answer.take(parseJson(item.data));
  }
  // Only the event that says so ends an answer: without it nobody knows what else was to come.
  yield { type: 'failed', failure: cutAnswer };
}

import { hash } from 'node:crypto';

import { systemClock } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { CallId } from '../base/ids.ts';
import { parseJson } from '../base/json.ts';
import { createRedactor } from '../base/redact.ts';
import type { ModelEvent, ModelFailure, ModelRequest, Provider } from '../model/provider.ts';
import type { Runtime } from '../model/runtime.ts';
import { ChatAnswer } from './openai-chat-answer.ts';
import { describeRefusal } from './openai-chat-failure.ts';
import { prepareOpenAiChat } from './openai-chat-request.ts';
import type { SseItem } from './sse-events.ts';
import type { Transport, TransportAnswer, TransportRequest } from './transport.ts';
import { dialectOf } from './vendors.ts';

const limits = { eventCharacters: 16_000_000, totalBytes: 64_000_000 };

/** A client of the chat completions protocol: any vendor that speaks it, over any transport. */
export function createOpenAiChat(runtime: Runtime, transport: Transport, clock: Clock = systemClock): Provider {
  const chat = { runtime, transport, clock };
  return {
    stream: (request, signal) => endOnce(streamChat(chat, request, signal), runtime),
    close: () => transport.close(),
  };
}

interface Chat {
  readonly runtime: Runtime;
  readonly transport: Transport;
  readonly clock: Clock;
}

/** Keeps the promise of the port: one `finished` or `failed` at the end, nothing after it, and nothing thrown. */
async function* endOnce(events: AsyncIterable<ModelEvent>, runtime: Runtime): AsyncGenerator<ModelEvent, void> {
  let hasEnded = false;
  try {
    for await (const event of events) {
      const shown: ModelEvent =
        event.type === 'failed' ? { type: 'failed', failure: withoutSecrets(event.failure, runtime) } : event;
      hasEnded = event.type === 'finished' || event.type === 'failed';
      yield shown;
      if (hasEnded) return;
    }
  } catch (thrown) {
    if (hasEnded) return;
    yield { type: 'failed', failure: { type: 'protocol', message: describeError(thrown) } };
  }
}

async function* streamChat(chat: Chat, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
  if (signal.aborted) {
    yield { type: 'failed', failure: { type: 'aborted' } };
    return;
  }
  const body = prepareOpenAiChat(request, dialectOf(chat.runtime.vendor));
  const sending = chat.transport.send(addressed(chat.runtime, body), signal);
  const [answer, { readSseEvents }] = await Promise.all([sending, import('./sse-events.ts')]);
  if (answer.type === 'failed') yield answer;
  else if (!isStream(answer)) yield { type: 'failed', failure: await describeRefusal(answer, chat.clock.now()) };
  else {
    const gathered = new ChatAnswer(createCallNamer(body));
    yield* readChat(readSseEvents(answer.body, limits), gathered, signal);
  }
}

function addressed(runtime: Runtime, body: string): TransportRequest {
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'text/event-stream' };
  if (runtime.credential.type === 'key') headers['authorization'] = `Bearer ${runtime.credential.reveal().trim()}`;
  return { url: `${runtime.baseUrl.replace(/\/+$/, '')}/chat/completions`, headers, body };
}

/** A server that says nothing of its type is believed; a compressed answer was not asked for and is not unpacked. */
function isStream(answer: Extract<TransportAnswer, { readonly type: 'answered' }>): boolean {
  const type = answer.headers['content-type'] ?? '';
  const encoding = answer.headers['content-encoding'] ?? 'identity';
  return answer.status === 200 && encoding === 'identity' && !/\b(?:html|json)\b/.test(type);
}

async function* readChat(
  items: AsyncIterable<SseItem>,
  answer: ChatAnswer,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void> {
  for await (const item of items) {
    if (signal.aborted) {
      yield { type: 'failed', failure: { type: 'aborted' } };
      return;
    }
    if (item.type === 'failed') {
      // Nothing but counts can be missing from an answer that said that it was finished.
      const isWhole = answer.isFinished && item.failure.type === 'transport';
      yield isWhole ? answer.end('unmarked') : item;
      return;
    }
    if (item.data.trim() === '[DONE]') {
      yield answer.end('marked');
      return;
    }
    yield* answer.take(parseJson(item.data));
  }
  yield answer.end('unmarked');
}

/**
 * Gives calls their ids. One that the server left out, or gave twice, is replaced by one that follows from the request:
 * the same answer to the same request always has the same ids.
 */
function createCallNamer(body: string): (position: number, offered: string) => CallId {
  const taken = new Set<string>();
  return (position, offered) => {
    const isFree = offered !== '' && !taken.has(offered);
    const id = isFree ? offered : `call_${hash('sha256', body).slice(0, 16)}_${position}`;
    taken.add(id);
    return id as CallId;
  };
}

/** Servers repeat keys in their errors. */
function withoutSecrets(failure: ModelFailure, runtime: Runtime): ModelFailure {
  if (!('message' in failure)) return failure;
  const secrets = runtime.credential.type === 'key' ? [runtime.credential.reveal().trim()] : [];
  return { ...failure, message: createRedactor(secrets)(failure.message) };
}

import { systemClock } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';
import { parseJson } from '../base/json.ts';
import type { ModelEvent, ModelRequest, Provider } from '../model/provider.ts';
import type { Runtime } from '../model/runtime.ts';
import { describeRefusal, isEventStream } from './answer-failure.ts';
import { createCallNamer } from './call-names.ts';
import { endOnce } from './end-once.ts';
import { ChatAnswer } from './openai-chat-answer.ts';
import { prepareOpenAiChat } from './openai-chat-request.ts';
import type { SseItem } from './sse-events.ts';
import type { Transport, TransportRequest } from './transport.ts';
import { dialectOf } from './vendors.ts';

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

async function* streamChat(chat: Chat, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
  if (signal.aborted) {
    yield { type: 'failed', failure: { type: 'aborted' } };
    return;
  }
  const { vendor, cacheLife } = chat.runtime;
  const dialect = dialectOf(vendor);
  const body = prepareOpenAiChat(request, dialect, vendor, cacheLife);
  const sending = chat.transport.send(addressed(chat.runtime, body), signal);
  const [answer, { readSseEvents }] = await Promise.all([sending, import('./sse-events.ts')]);
  if (answer.type === 'failed') yield answer;
  else if (!isEventStream(answer)) yield { type: 'failed', failure: await describeRefusal(answer, chat.clock.now()) };
  else {
    const gathered = new ChatAnswer({ vendor, thoughts: dialect.thoughts, nameCall: createCallNamer(body) });
    yield* readChat(readSseEvents(answer.body), gathered, signal);
  }
}

function addressed(runtime: Runtime, body: string): TransportRequest {
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'text/event-stream' };
  if (runtime.credential.type === 'key') headers['authorization'] = `Bearer ${runtime.credential.reveal().trim()}`;
  return { url: `${runtime.baseUrl.replace(/\/+$/, '')}/chat/completions`, headers, body };
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

import { systemClock } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';
import { parseJson } from '../base/json.ts';
import type { ModelEvent, ModelRequest, Provider } from '../model/provider.ts';
import type { Runtime } from '../model/runtime.ts';
import { createCallNamer } from './call-names.ts';
import { ChatAnswer } from './openai-chat-answer.ts';
import { prepareOpenAiChat } from './openai-chat-request.ts';
import { addressed, createProtocolClient } from './protocol-client.ts';
import type { WireCall } from './protocol-client.ts';
import type { SseItem } from './sse-events.ts';
import type { Transport } from './transport.ts';
import { dialectOf } from './vendors.ts';

/** A client of the chat completions protocol: any vendor that speaks it, over any transport. */
export function createOpenAiChat(runtime: Runtime, transport: Transport, clock: Clock = systemClock): Provider {
  return createProtocolClient({ runtime, transport, clock, word: (request, signal) => word(runtime, request, signal) });
}

function word(runtime: Runtime, request: ModelRequest, signal: AbortSignal): WireCall {
  const { vendor, cacheLife } = runtime;
  const dialect = dialectOf(vendor);
  const body = prepareOpenAiChat(request, dialect, vendor, cacheLife);
  const options = { vendor, thoughts: dialect.thoughts, nameCall: createCallNamer(body) };
  return {
    sent: addressed(runtime, '/chat/completions', body),
    read: (items) => readChat(items, new ChatAnswer(options), signal),
  };
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

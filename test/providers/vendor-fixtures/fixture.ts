import type { Json, JsonObject } from '../../../src/base/json.ts';
import type { AssistantMessage, Reasoning } from '../../../src/model/message.ts';
import type { ApiMode } from '../../../src/model/runtime.ts';
import type { Finish, Usage } from '../../../src/model/provider.ts';

/** What a vendor sends, in the shape that its documentation or a recording of its answers gives, and what that means here. */
export interface VendorFixture {
  readonly vendor: string;
  /** The protocol of its streams, where it is not chat completions. */
  readonly apiMode?: ApiMode;
  /** Where the shapes are from. */
  readonly documents: readonly string[];
  readonly text: FixtureAnswer;
  readonly call: FixtureAnswer;
  readonly refusal: {
    readonly status: number;
    readonly body: Json;
    readonly message: string;
  };
}

export interface FixtureAnswer {
  /** The bytes of the body. */
  readonly stream: string;
  readonly thoughts?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  /** What has to be kept of the thoughts. */
  readonly kept?: Reasoning['items'];
  readonly finish: Finish;
  readonly usage: Partial<Usage>;
  /** The answer as it has to go back with the next request. */
  readonly replayed?: JsonObject;
}

/** A stream of events. What begins with a colon is a comment, as it stands; everything else is data. */
export function sse(...events: readonly (Json | string)[]): string {
  return events
    .map((event) => {
      if (typeof event !== 'string') return `data: ${JSON.stringify(event)}\n\n`;
      return event.startsWith(':') ? `${event}\n\n` : `data: ${event}\n\n`;
    })
    .join('');
}

export const done = '[DONE]';

/** A chunk with one choice; `more` are the fields that the vendor adds to every chunk. */
export function chunk(delta: JsonObject, finish: string | null = null, more: JsonObject = {}): JsonObject {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model: 'model',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  };
}

/** A chunk that only counts. */
export function counts(usage: JsonObject): JsonObject {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model: 'model',
    choices: [],
    usage,
  };
}

export function piece(index: number, call: JsonObject): JsonObject {
  return { tool_calls: [{ index, ...call }] };
}

export const weather = { name: 'get_weather', arguments: '{"city":"Paris"}' };

/** The message that an answer makes. */
export function messageOf(answer: FixtureAnswer, vendor: string): AssistantMessage {
  const kept = answer.kept ?? [];
  return {
    role: 'assistant',
    parts: answer.text === undefined ? [] : [{ type: 'text', text: answer.text }],
    calls: (answer.calls ?? []) as AssistantMessage['calls'],
    ...(kept.length === 0 ? {} : { reasoning: { vendor, text: answer.thoughts ?? '', items: kept } }),
  };
}

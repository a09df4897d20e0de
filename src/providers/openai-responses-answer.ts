import { isJsonObject } from '../base/json.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { noUsage } from '../model/provider.ts';
import type { CacheReport, Finish, ModelEvent, ModelFailure, Usage } from '../model/provider.ts';
import { composeReport } from './cache-report.ts';
import { readUsage } from './openai-chat-usage.ts';
import { describeFailedResponse, describeStreamError } from './openai-responses-failure.ts';
import { argumentsOf, composeMessage, nameOf, stringIn, textOf } from './openai-responses-items.ts';
import type { Origin } from './openai-responses-items.ts';
import { ShownText } from './openai-responses-shown.ts';

const mostCalls = 128;
const longestArguments = 10_000_000;

export const cutAnswer: ModelFailure = {
  type: 'transport',
  kind: 'cut',
  message: 'the answer ended before it was complete',
};

interface DoneItem {
  readonly place: number;
  readonly item: JsonObject;
}

/**
 * Adds up the events of one streamed answer. What is kept of it are its finished items alone; everything that arrives
 * before an item is finished is only shown.
 */
export class ResponsesAnswer {
  readonly #text = new ShownText('\n');
  readonly #reasoning = new ShownText('\n\n');
  readonly #announced = new Set<number>();
  readonly #open = new Set<number>();
  readonly #done = new Map<string, DoneItem>();
  readonly #origin: Origin;
  readonly #diagnostics: 'asked-for' | undefined;

  /** `diagnostics`: whether the server's id of the answer and what it says of its cache are wanted. */
  constructor(origin: Origin, diagnostics?: 'asked-for') {
    this.#origin = origin;
    this.#diagnostics = diagnostics;
  }

  /** Takes one event and returns what may be shown of it; the last one of an answer is its `finished` or `failed`. */
  take(event: Json | undefined): readonly ModelEvent[] {
    if (!isJsonObject(event)) return [failed({ type: 'protocol', message: 'an event of the answer is not JSON' })];
    switch (stringIn(event['type'])) {
      case 'response.output_item.added':
        return this.#begin(event);
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        return this.#showText(placeOf(event), event['delta']);
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return this.#showReasoning(event);
      case 'response.output_item.done':
        return this.#finish(event);
      case 'response.completed':
      case 'response.incomplete':
        return [this.#end(event)];
      case 'response.failed':
        return [failed(describeFailedResponse(event))];
      case 'error':
        return [failed(describeStreamError(event))];
    }
    // Gateways report what went wrong behind them without a type. Whatever else is unknown is left to the future.
    return (event['error'] ?? null) === null ? [] : [failed(describeStreamError(event))];
  }

  #begin(event: JsonObject): readonly ModelEvent[] {
    const item = event['item'];
    if (!isJsonObject(item)) return [];
    this.#open.add(placeOf(event));
    return this.#announce(placeOf(event), item);
  }

  #announce(place: number, item: JsonObject): readonly ModelEvent[] {
    const name = nameOf(item);
    if (item['type'] !== 'function_call' || name === '') return [];
    this.#announced.add(place);
    return [{ type: 'call.begun', name }];
  }

  #showText(place: number, delta: Json | undefined): readonly ModelEvent[] {
    const text = this.#text.add(String(place), delta);
    return text === '' ? [] : [{ type: 'text.delta', text }];
  }

  #showReasoning(event: JsonObject): readonly ModelEvent[] {
    const section = JSON.stringify([event['type'], placeOf(event), event['summary_index'], event['content_index']]);
    const text = this.#reasoning.add(section, event['delta']);
    return text === '' ? [] : [{ type: 'reasoning.delta', text }];
  }

  #finish(event: JsonObject): readonly ModelEvent[] {
    const item = event['item'];
    if (!isJsonObject(item)) return [failed({ type: 'protocol', message: 'an item of the answer is not an object' })];
    const place = placeOf(event);
    this.#open.delete(place);
    this.#keep({ place, item });
    const problem = item['type'] === 'function_call' ? this.#findProblem(item) : undefined;
    if (problem !== undefined) return [failed({ type: 'protocol', message: problem })];
    // Some servers send items only as a whole.
    if (item['type'] === 'message' && !this.#text.has(String(place))) return this.#showText(place, textOf(item));
    return this.#announced.has(place) ? [] : this.#announce(place, item);
  }

  /** Some servers give every item the same place, so only what has the same id as well is the same item again. */
  #keep(done: DoneItem): void {
    const id = stringIn(done.item['id']) || `item ${this.#done.size}`;
    this.#done.set(`${done.place} ${id}`, done);
  }

  #findProblem(call: JsonObject): string | undefined {
    if (nameOf(call) === '') return 'a tool call in the answer has no name';
    if (argumentsOf(call).length > longestArguments) {
      return `the arguments of a tool call are longer than ${longestArguments} characters`;
    }
    const calls = this.#done.values().filter(({ item }) => item['type'] === 'function_call');
    return calls.toArray().length > mostCalls ? `more than ${mostCalls} tool calls` : undefined;
  }

  #end(event: JsonObject): ModelEvent {
    const cutFinish = cutFinishOf(event);
    if (cutFinish === undefined && this.#open.size > 0) return failed(cutAnswer);
    const inOrder = [...this.#done.values()].toSorted((left, right) => left.place - right.place);
    const items = inOrder.map(({ item }) => item);
    const finish = cutFinish ?? (items.some((item) => item['type'] === 'function_call') ? 'calls' : 'stop');
    const message = composeMessage(items, finish, this.#origin);
    const report = this.#diagnostics === undefined ? {} : reportOf(event);
    return { type: 'finished', message, finish, usage: usageOf(event), ...report };
  }
}

function placeOf(event: JsonObject): number {
  return typeof event['output_index'] === 'number' ? event['output_index'] : Number.MAX_SAFE_INTEGER;
}

/** Why an answer is only a beginning. Some servers complete one in name and say in its status that it is not whole. */
function cutFinishOf(event: JsonObject): Finish | undefined {
  const { status, incomplete_details: details } = responseOf(event);
  if (event['type'] !== 'response.incomplete' && status !== 'incomplete') return undefined;
  return isJsonObject(details) && details['reason'] === 'content_filter' ? 'filtered' : 'length';
}

/** The counts mean what they mean in chat completions, and have other names. */
function usageOf(event: JsonObject): Usage {
  const usage = responseOf(event)['usage'];
  if (!isJsonObject(usage)) return noUsage;
  return readUsage({
    prompt_tokens: usage['input_tokens'] ?? null,
    prompt_tokens_details: usage['input_tokens_details'] ?? null,
    completion_tokens: usage['output_tokens'] ?? null,
    completion_tokens_details: usage['output_tokens_details'] ?? null,
    total_tokens: usage['total_tokens'] ?? null,
  });
}

/** A hit needs no words, and neither does a request that was held against none. */
function reportOf(event: JsonObject): CacheReport {
  const { id, prompt_cache_diagnostics: found } = responseOf(event);
  if (!isJsonObject(found) || found['type'] === 'cache_hit') return composeReport(id);
  return found['type'] === 'cache_miss'
    ? composeReport(id, found['reason'], found['cache_missed_tokens'])
    : composeReport(id, found['type']);
}

function responseOf(event: JsonObject): JsonObject {
  return isJsonObject(event['response']) ? event['response'] : {};
}

function failed(failure: ModelFailure): ModelEvent {
  return { type: 'failed', failure };
}

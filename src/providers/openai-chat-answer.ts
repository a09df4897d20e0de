import { isJsonObject } from '../base/json.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { textPart } from '../model/message.ts';
import type { ToolCall } from '../model/message.ts';
import { noUsage } from '../model/provider.ts';
import type { Finish, ModelEvent, ModelFailure, Usage } from '../model/provider.ts';
import { describeErrorEvent } from './answer-failure.ts';
import type { CallNamer } from './call-names.ts';
import { GrowingText } from './growing-text.ts';
import { CallSlots, areComplete } from './openai-chat-calls.ts';
import { readUsage } from './openai-chat-usage.ts';

/** How the stream ended: with its closing mark, or by just ending. */
export type StreamEnding = 'marked' | 'unmarked';

/** Adds up the chunks of one streamed answer. */
export class ChatAnswer {
  readonly #text = new GrowingText();
  readonly #reasoning = new GrowingText();
  readonly #calls = new CallSlots();
  readonly #nameCall: CallNamer;
  #finishReason: string | undefined;
  #hasChoice = false;
  #usage: Usage = noUsage;

  /** `nameCall` gives each call an id that no other call of the answer has, its own if possible. */
  constructor(nameCall: CallNamer) {
    this.#nameCall = nameCall;
  }

  /** Whether the model has said all that it will say; what may still come are counts. */
  get isFinished(): boolean {
    return this.#finishReason !== undefined;
  }

  /** Takes one chunk and returns what may be shown of it; a failure is the last of these. */
  take(chunk: Json | undefined): readonly ModelEvent[] {
    if (!isJsonObject(chunk)) return [failed({ type: 'protocol', message: 'an event of the answer is not JSON' })];
    const error = chunk['error'];
    if (error !== undefined && error !== null) return [failed(describeErrorEvent(error))];
    if (isJsonObject(chunk['usage'])) this.#usage = readUsage(chunk['usage']);
    const choices: Json = Array.isArray(chunk['choices']) ? chunk['choices'] : [];
    const choice = choices[0];
    return isJsonObject(choice) ? this.#takeChoice(choice) : [];
  }

  /** The one event that ends the stream. */
  end(ending: StreamEnding): ModelEvent {
    if (!this.#hasChoice) {
      return failed(ending === 'marked' ? { type: 'protocol', message: 'the answer has nothing in it' } : cut);
    }
    if (this.#finishReason === undefined && (ending === 'unmarked' || this.#hasPartialCall())) return failed(cut);
    const finish = this.#decideFinish();
    const calls = this.#callsFor(finish);
    if (calls.some((call) => call.name === '')) {
      return failed({ type: 'protocol', message: 'a tool call in the answer has no name' });
    }
    const text = this.#text.whole;
    const parts = text === '' ? [] : [textPart(text)];
    return { type: 'finished', message: { role: 'assistant', parts, calls }, finish, usage: this.#usage };
  }

  #takeChoice(choice: JsonObject): readonly ModelEvent[] {
    this.#hasChoice = true;
    if (typeof choice['finish_reason'] === 'string') this.#finishReason = choice['finish_reason'];
    const delta = isJsonObject(choice['delta']) ? choice['delta'] : {};
    const reasoning = this.#reasoning.add(textIn(delta['reasoning_content']) || textIn(delta['reasoning']));
    const text = this.#text.add(textIn(delta['content']) || textIn(delta['refusal']));
    const events: ModelEvent[] = [];
    if (reasoning !== '') events.push({ type: 'reasoning.delta', text: reasoning });
    if (text !== '') events.push({ type: 'text.delta', text });
    const pieces: readonly Json[] = Array.isArray(delta['tool_calls']) ? delta['tool_calls'] : [];
    return [...events, ...pieces.flatMap((piece) => this.#takeCall(piece))];
  }

  #takeCall(piece: Json): readonly ModelEvent[] {
    const news = this.#calls.take(piece);
    switch (news.type) {
      case 'nothing':
        return [];
      case 'begun':
        return [{ type: 'call.begun', name: news.name }];
      case 'bad':
        return [failed({ type: 'protocol', message: news.problem })];
    }
  }

  #decideFinish(): Finish {
    // Vendors disagree on the words for everything else; whether there are calls decides.
    return finishes[this.#finishReason ?? ''] ?? (this.#calls.calls.length > 0 ? 'calls' : 'stop');
  }

  #hasPartialCall(): boolean {
    return this.#calls.calls.some((call) => !areComplete(call.arguments));
  }

  /** The calls as they came. A filter may have stopped in the middle of one, and that one was never meant. */
  #callsFor(finish: Finish): readonly ToolCall[] {
    const meant = this.#calls.calls.filter((call) => finish !== 'filtered' || areComplete(call.arguments));
    return meant.map((call, position) => ({
      id: this.#nameCall(position, call.id),
      name: call.name,
      // A tool without parameters is called with nothing. Cut off by the length limit, nothing means that all is missing.
      arguments: call.arguments.trim() === '' && finish !== 'length' ? '{}' : call.arguments.toWellFormed(),
    }));
  }
}

const finishes: Readonly<Record<string, Finish>> = {
  length: 'length',
  max_tokens: 'length',
  content_filter: 'filtered',
};
const cut: ModelFailure = { type: 'transport', kind: 'cut', message: 'the answer ended before it was complete' };

function failed(failure: ModelFailure): ModelEvent {
  return { type: 'failed', failure };
}

/** Text, or the text of a list of parts, which is how some vendors send it. */
function textIn(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as readonly Json[])
    .map((part) => (isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('');
}

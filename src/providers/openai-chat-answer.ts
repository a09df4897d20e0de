import { isJsonObject } from '../base/json.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { textPart } from '../model/message.ts';
import type { AssistantMessage, ToolCall } from '../model/message.ts';
import { noUsage } from '../model/provider.ts';
import type { Finish, ModelEvent, ModelFailure, Usage } from '../model/provider.ts';
import type { CallNamer } from './call-names.ts';
import { GrowingText } from './growing-text.ts';
import { CallSlots, areComplete } from './openai-chat-calls.ts';
import type { GatheredCall } from './openai-chat-calls.ts';
import { decideFinish, failureInChunk, failureOfFinish } from './openai-chat-finish.ts';
import { ChatThoughts } from './openai-chat-thoughts.ts';
import type { ThoughtForm } from './openai-chat-thoughts.ts';
import { readUsage } from './openai-chat-usage.ts';

/** How the stream ended: with its closing mark, or by just ending. */
export type StreamEnding = 'marked' | 'unmarked';

/** Where an answer comes from, what that vendor wants back of its thoughts, and how its calls get their ids. */
export interface AnswerOrigin {
  readonly vendor: string;
  readonly thoughts: ThoughtForm;
  /** Gives each call an id that no other call of the answer has, its own if possible. */
  readonly nameCall: CallNamer;
}

/** Adds up the chunks of one streamed answer. */
export class ChatAnswer {
  readonly #text = new GrowingText();
  readonly #thoughts: ChatThoughts;
  readonly #calls = new CallSlots();
  readonly #origin: AnswerOrigin;
  #finishReason: string | undefined;
  #hasChoice = false;
  #usage: Usage = noUsage;

  constructor(origin: AnswerOrigin) {
    this.#origin = origin;
    this.#thoughts = new ChatThoughts(origin.thoughts);
  }

  /** Whether the model has said all that it will say; what may still come are counts. */
  get isFinished(): boolean {
    return this.#finishReason !== undefined;
  }

  /** Takes one chunk and returns what may be shown of it; a failure is the last of these. */
  take(chunk: Json | undefined): readonly ModelEvent[] {
    if (!isJsonObject(chunk)) return [failed({ type: 'protocol', message: 'an event of the answer is not JSON' })];
    const failure = failureInChunk(chunk);
    if (failure !== undefined) return [failed(failure)];
    this.#count(chunk['usage']);
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
    const finish = decideFinish(this.#finishReason, this.#calls.calls.length > 0 ? 'calls' : 'no-calls');
    const meant = this.#meantCalls(finish);
    if (meant.some((call) => call.name === '')) {
      return failed({ type: 'protocol', message: 'a tool call in the answer has no name' });
    }
    return { type: 'finished', message: this.#compose(meant, finish), finish, usage: this.#usage };
  }

  #takeChoice(choice: JsonObject): readonly ModelEvent[] {
    this.#hasChoice = true;
    // Some vendors count inside the choice.
    this.#count(choice['usage']);
    if (typeof choice['finish_reason'] === 'string') this.#finishReason = choice['finish_reason'];
    const failure = failureOfFinish(this.#finishReason ?? '');
    if (failure !== undefined) return [failed(failure)];
    const delta = isJsonObject(choice['delta']) ? choice['delta'] : {};
    const reasoning = this.#thoughts.take(delta);
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

  #count(usage: Json | undefined): void {
    if (isJsonObject(usage)) this.#usage = readUsage(usage);
  }

  #hasPartialCall(): boolean {
    return this.#calls.calls.some((call) => !areComplete(call.arguments));
  }

  /** A filter may have stopped in the middle of a call, and that one was never meant. */
  #meantCalls(finish: Finish): readonly GatheredCall[] {
    return this.#calls.calls.filter((call) => finish !== 'filtered' || areComplete(call.arguments));
  }

  #compose(meant: readonly GatheredCall[], finish: Finish): AssistantMessage {
    const text = this.#text.whole;
    const reasoning = this.#thoughts.keep(
      this.#origin.vendor,
      meant.map((call) => call.fields),
    );
    return {
      role: 'assistant',
      parts: text === '' ? [] : [textPart(text)],
      calls: meant.map((call, position) => this.#composeCall(call, position, finish)),
      ...(reasoning === undefined ? {} : { reasoning }),
    };
  }

  #composeCall(call: GatheredCall, position: number, finish: Finish): ToolCall {
    return {
      id: this.#origin.nameCall(position, call.id),
      name: call.name,
      // A tool without parameters is called with nothing. Cut off by the length limit, nothing means that all is missing.
      arguments: call.arguments.trim() === '' && finish !== 'length' ? '{}' : call.arguments.toWellFormed(),
    };
  }
}

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

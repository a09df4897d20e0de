import { isJsonObject } from '../base/json.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { textPart } from '../model/message.ts';
import type { AssistantMessage, ToolCall } from '../model/message.ts';
import { noUsage } from '../model/provider.ts';
import type { CacheReport, Finish, ModelEvent, ModelFailure, Usage } from '../model/provider.ts';
import { addToBlock, openBlock, stringIn } from './anthropic-messages-blocks.ts';
import { readReport } from './anthropic-messages-diagnostics.ts';
import type { BlockNews, OpenBlock } from './anthropic-messages-blocks.ts';
import { keepReasoning } from './anthropic-messages-thoughts.ts';
import type { ReasoningItem } from './anthropic-messages-thoughts.ts';
import { readUsage } from './anthropic-messages-usage.ts';
import { describeErrorEvent } from './answer-failure.ts';
import type { CallNamer } from './call-names.ts';
import { areComplete, mostCalls } from './openai-chat-calls.ts';

export interface AnswerOrigin {
  /** Gives each call an id that no other call of the answer has, its own if possible. */
  readonly nameCall: CallNamer;
  readonly vendor: string;
  /** Whether the server was asked for its id of the answer and for what it says of its cache. */
  readonly diagnostics?: 'asked-for';
}

type CallBlock = Extract<OpenBlock, { readonly type: 'tool_use' }>;

// More than a text and a thought around each of the most calls.
const mostBlocks = 1024;

/** Adds up the events of one streamed answer. */
export class MessageAnswer {
  readonly #blocks: OpenBlock[] = [];
  readonly #byIndex = new Map<Json | undefined, OpenBlock>();
  readonly #origin: AnswerOrigin;
  #hasBegun = false;
  #stopReason = '';
  #usage: Usage = noUsage;
  #report: CacheReport = {};

  constructor(origin: AnswerOrigin) {
    this.#origin = origin;
  }

  /** Takes one event and returns what may be shown of it. The last one of an answer is its `finished` or `failed`. */
  take(event: Json | undefined): readonly ModelEvent[] {
    if (!isJsonObject(event)) return [broken('an event of the answer is not JSON')];
    switch (stringIn(event['type'])) {
      case 'message_start':
        return this.#begin(event);
      case 'content_block_start':
        return this.#open(event);
      case 'content_block_delta':
        return this.#add(event);
      case 'content_block_stop':
        return this.#close(event);
      case 'message_delta':
        return this.#takeEnding(event);
      case 'message_stop':
        return [this.#end()];
    }
    // Gateways report what went wrong behind them without a type. Whatever else is unknown is left to the future.
    const error = event['error'] ?? null;
    return event['type'] === 'error' || error !== null ? [failed(describeErrorEvent(error))] : [];
  }

  #begin(event: JsonObject): readonly ModelEvent[] {
    this.#hasBegun = true;
    const message = isJsonObject(event['message']) ? event['message'] : {};
    this.#usage = readUsage(message['usage']);
    if (this.#origin.diagnostics === 'asked-for') this.#report = readReport(message);
    return [];
  }

  #open(event: JsonObject): readonly ModelEvent[] {
    const content = event['content_block'];
    if (!isJsonObject(content)) return [broken('a block of the answer is not an object')];
    const { block, news } = openBlock(content);
    this.#blocks.push(block);
    // An index that comes back is another block, because some servers number every block 0.
    this.#byIndex.set(event['index'], block);
    if (this.#blocks.length > mostBlocks) return [broken(`more than ${mostBlocks} blocks`)];
    if (this.#calls().length > mostCalls) return [broken(`more than ${mostCalls} tool calls`)];
    return show(news);
  }

  #add(event: JsonObject): readonly ModelEvent[] {
    const block = this.#byIndex.get(event['index']);
    if (block === undefined) return [broken('a piece of the answer belongs to no block of it')];
    return isJsonObject(event['delta']) ? show(addToBlock(block, event['delta'])) : [];
  }

  #close(event: JsonObject): readonly ModelEvent[] {
    const block = this.#byIndex.get(event['index']);
    if (block?.type === 'tool_use') block.isClosed = true;
    return [];
  }

  #takeEnding(event: JsonObject): readonly ModelEvent[] {
    this.#usage = readUsage(event['usage'], this.#usage);
    const reason = isJsonObject(event['delta']) ? event['delta']['stop_reason'] : undefined;
    if (typeof reason === 'string') this.#stopReason = reason;
    return [];
  }

  #end(): ModelEvent {
    if (!this.#hasBegun) return broken('the answer has nothing in it');
    const calls = this.#calls();
    const finish = finishes[this.#stopReason] ?? (calls.length > 0 ? 'calls' : 'stop');
    const isPartial = calls.some((call) => !call.isClosed && !areComplete(call.input));
    if (isPartial && finish === 'calls') return failed(cutAnswer);
    return { type: 'finished', message: this.#compose(finish), finish, usage: this.#usage, ...this.#report };
  }

  #calls(): readonly CallBlock[] {
    return this.#blocks.filter((block) => block.type === 'tool_use');
  }

  #compose(finish: Finish): AssistantMessage {
    const meant = this.#blocks.filter((block) => isMeant(block, finish));
    const parts = meant.flatMap((block) => (block.type === 'text' ? [textPart(block.text.whole)] : []));
    const uses = meant.filter((block) => block.type === 'tool_use');
    const calls = uses.map((call, position) => this.#composeCall(call, position, finish));
    const items = keepReasoning(meant.flatMap(keepBlock));
    if (items.length === 0) return { role: 'assistant', parts, calls };
    const thoughts = meant.flatMap((block) => (block.type === 'thinking' ? [block.thinking.whole] : []));
    const text = thoughts.filter((thought) => thought !== '').join('\n\n');
    return { role: 'assistant', parts, calls, reasoning: { vendor: this.#origin.vendor, text, items } };
  }

  #composeCall(call: CallBlock, position: number, finish: Finish): ToolCall {
    return {
      id: this.#origin.nameCall(position, call.id),
      name: call.name,
      // A tool without parameters is called with nothing. Cut off by the length limit, nothing means that all is missing.
      arguments: call.input.trim() === '' && finish !== 'length' ? '{}' : call.input.toWellFormed(),
    };
  }
}

export const cutAnswer: ModelFailure = {
  type: 'transport',
  kind: 'cut',
  message: 'the answer ended before it was complete',
};

// A full context window and a turn that the server paused both leave an answer that can be gone on with.
const finishes: Readonly<Record<string, Finish>> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  pause_turn: 'length',
  refusal: 'filtered',
};

/** What is blank cannot be sent back, and a filter may have stopped in the middle of a call, which was then never meant. */
function isMeant(block: OpenBlock, finish: Finish): boolean {
  if (block.type === 'text') return block.text.whole.trim() !== '';
  if (block.type === 'thinking') return block.thinking.whole + block.signature !== '';
  return block.type !== 'tool_use' || finish !== 'filtered' || areComplete(block.input);
}

function keepBlock(block: OpenBlock): readonly ReasoningItem[] {
  switch (block.type) {
    case 'text':
    case 'tool_use':
      return [{ type: block.type }];
    case 'thinking':
      return [{ type: 'thinking', thinking: block.thinking.whole, signature: block.signature }];
    case 'redacted_thinking':
      return [{ type: 'redacted_thinking', data: block.data }];
    case 'unknown':
      return [];
  }
}

function show(news: BlockNews): readonly ModelEvent[] {
  switch (news.type) {
    case 'nothing':
      return [];
    case 'said':
      return [{ type: 'text.delta', text: news.text }];
    case 'thought':
      return [{ type: 'reasoning.delta', text: news.text }];
    case 'called':
      return [{ type: 'call.begun', name: news.name }];
    case 'bad':
      return [broken(news.problem)];
  }
}

function broken(message: string): ModelEvent {
  return failed({ type: 'protocol', message });
}

function failed(failure: ModelFailure): ModelEvent {
  return { type: 'failed', failure };
}

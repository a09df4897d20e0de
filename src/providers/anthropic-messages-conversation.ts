import { hash } from 'node:crypto';

import type { CallId } from '../base/ids.ts';
import { isJsonObject, parseJson } from '../base/json.ts';
import { partsToText, toolMessageToText } from '../model/message.ts';
import type { AssistantMessage, Message, ToolCall, ToolMessage, UserMessage } from '../model/message.ts';
import type { ModelRequest } from '../model/provider.ts';
import { wireAnswer } from './anthropic-messages-thoughts.ts';
import type { Block, TextBlock, ToolResultBlock, ToolUseBlock, WireMessage } from './anthropic-messages-wire.ts';
import { partsToShow } from './shown-parts.ts';
import type { ShownPart } from './shown-parts.ts';

/**
 * A conversation as the API demands it: the user speaks first, the roles take turns, no text is blank, and right behind
 * the calls of an answer stand their results. A call without a result, or a result without a call, is left out. Adding
 * messages to the conversation only adds blocks at the end.
 */
export function wireConversation(
  messages: readonly Message[],
  vendor: string,
  images: ModelRequest['images'],
): readonly WireMessage[] {
  const turns: Turn[] = [];
  const how: Wiring = { vendor, images, nameUse: createUseNamer() };
  for (const exchange of splitAtAnswers(messages)) {
    const { answer, replies } = wireExchange(exchange, how);
    if (turns.length === 0 && answer.length > 0) addBlocks(turns, 'user', [placeholder]);
    addBlocks(turns, 'assistant', answer);
    addBlocks(turns, 'user', replies);
  }
  return turns;
}

interface Turn {
  readonly role: WireMessage['role'];
  readonly content: Block[];
}

/** An answer of the model and all that was said to it before its next one. */
interface Exchange {
  readonly answer: AssistantMessage | undefined;
  readonly replies: (UserMessage | ToolMessage)[];
}

type UseNamer = (id: CallId) => string;

interface Wiring {
  readonly vendor: string;
  readonly images: ModelRequest['images'];
  readonly nameUse: UseNamer;
}

const placeholder: TextBlock = { type: 'text', text: '(nothing)' };

function addBlocks(turns: Turn[], role: Turn['role'], blocks: readonly Block[]): void {
  if (blocks.length === 0) return;
  const last = turns.at(-1);
  if (last?.role === role) last.content.push(...blocks);
  else turns.push({ role, content: [...blocks] });
}

function splitAtAnswers(messages: readonly Message[]): readonly Exchange[] {
  const exchanges: Exchange[] = [{ answer: undefined, replies: [] }];
  for (const message of messages) {
    if (message.role === 'assistant') exchanges.push({ answer: message, replies: [] });
    else exchanges.at(-1)?.replies.push(message);
  }
  return exchanges;
}

function wireExchange(
  { answer, replies }: Exchange,
  { vendor, images, nameUse }: Wiring,
): { readonly answer: readonly Block[]; readonly replies: readonly Block[] } {
  const results = new Map<CallId, ToolMessage>();
  for (const reply of replies) {
    if (reply.role === 'tool' && !results.has(reply.callId)) results.set(reply.callId, reply);
  }
  const uses = new Map<CallId, ToolUseBlock>();
  for (const call of answer?.calls ?? []) {
    if (results.has(call.id) && !uses.has(call.id)) uses.set(call.id, wireUse(call, nameUse(call.id)));
  }
  const said = replies.flatMap((reply) => (reply.role === 'user' ? wireUser(reply, images) : []));
  return {
    answer: answer === undefined ? [] : wireAnswer(answer, uses, vendor),
    replies: [...wireResults(results, uses), ...said],
  };
}

/** Results come in the order in which they were given; the API wants them before everything else in their message. */
function wireResults(
  results: ReadonlyMap<CallId, ToolMessage>,
  uses: ReadonlyMap<CallId, ToolUseBlock>,
): readonly ToolResultBlock[] {
  return [...results].flatMap(([id, result]) => {
    const use = uses.get(id);
    return use === undefined ? [] : [wireResult(result, use.id)];
  });
}

function wireUse(call: ToolCall, id: string): ToolUseBlock {
  const input = parseJson(call.arguments);
  return { type: 'tool_use', id, name: call.name, input: isJsonObject(input) ? input : {} };
}

function wireResult(result: ToolMessage, id: string): ToolResultBlock {
  const content = toolMessageToText(result);
  return {
    type: 'tool_result',
    tool_use_id: id,
    // A result may be empty, but only by having no content at all.
    ...(content.trim() === '' ? {} : { content }),
    ...(result.outcome.type === 'done' ? {} : { is_error: true }),
  };
}

function wireUser({ parts }: UserMessage, images: ModelRequest['images']): readonly Block[] {
  const shown = partsToShow(parts, images);
  if (shown !== undefined) return shown.map(wirePart);
  const text = partsToText(parts);
  return [text.trim() === '' ? placeholder : { type: 'text', text }];
}

function wirePart(part: ShownPart): Block {
  if (part.type === 'text') return part;
  return { type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.data } };
}

/**
 * Gives each use of a tool an id that the API accepts, the call's own if possible. It refuses other characters and an id
 * that comes twice in a conversation, and other vendors do both.
 */
function createUseNamer(): UseNamer {
  const uses = new Map<CallId, number>();
  return (id) => {
    const nth = (uses.get(id) ?? 0) + 1;
    uses.set(id, nth);
    if (nth === 1 && /^[A-Za-z0-9_-]{1,64}$/.test(id)) return id;
    return `toolu_${hash('sha256', JSON.stringify([id, nth])).slice(0, 32)}`;
  };
}

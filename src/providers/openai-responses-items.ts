import { isJsonObject } from '../base/json.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { textPart } from '../model/message.ts';
import type { AssistantMessage, Reasoning, ToolCall } from '../model/message.ts';
import type { Finish } from '../model/provider.ts';
import type { CallNamer } from './call-names.ts';
import { areComplete } from './openai-chat-calls.ts';

/** Where an answer comes from, and how its calls get their ids. */
export interface Origin {
  readonly vendor: string;
  readonly nameCall: CallNamer;
}

/** The finished items of an answer, in their order, as one message. */
export function composeMessage(items: readonly JsonObject[], finish: Finish, origin: Origin): AssistantMessage {
  const kept = items.filter((item) => isKept(item, finish));
  const parts = kept.filter((item) => item['type'] === 'message').map((item) => textPart(textOf(item)));
  const calls = kept.filter((item) => item['type'] === 'function_call');
  const reasoning = composeReasoning(kept, origin.vendor);
  return {
    role: 'assistant',
    parts,
    calls: calls.map((item, position) => composeCall(item, position, finish, origin.nameCall)),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

function isKept(item: JsonObject, finish: Finish): boolean {
  if (item['type'] === 'message') return textOf(item) !== '';
  // A filter may have stopped in the middle of a call, and that one was never meant.
  if (item['type'] === 'function_call') return finish !== 'filtered' || areComplete(argumentsOf(item));
  return item['type'] === 'reasoning';
}

function composeCall(item: JsonObject, position: number, finish: Finish, nameCall: CallNamer): ToolCall {
  const text = argumentsOf(item);
  return {
    id: nameCall(position, stringIn(item['call_id'])),
    name: nameOf(item),
    // A tool without parameters is called with nothing. Cut off by the length limit, nothing means that all is missing.
    arguments: text.trim() === '' && finish !== 'length' ? '{}' : text.toWellFormed(),
  };
}

/**
 * What has to go back to the vendor besides text and calls: the reasoning as it came and, where the usual order would
 * not restore the answer, a mark for every message and call between it. The text and the calls themselves are not kept
 * twice.
 */
function composeReasoning(kept: readonly JsonObject[], vendor: string): Reasoning | undefined {
  const thoughts = kept.filter((item) => item['type'] === 'reasoning');
  const items = isInUsualOrder(kept)
    ? thoughts
    : kept.map((item) => (item['type'] === 'reasoning' ? item : mark(item)));
  if (items.length === 0) return undefined;
  return { vendor, text: thoughts.flatMap(thoughtsIn).join('\n\n').toWellFormed(), items };
}

function isInUsualOrder(items: readonly JsonObject[]): boolean {
  const types = items.map((item) => `${stringIn(item['type'])} `).join('');
  const hasPhase = items.some((item) => phaseOf(item) !== undefined);
  return !hasPhase && /^(?:reasoning )*(?:message )?(?:function_call )*$/.test(types);
}

function mark(item: JsonObject): JsonObject {
  const phase = phaseOf(item);
  return { type: item['type'] ?? '', ...(phase === undefined ? {} : { phase }) };
}

function phaseOf(item: JsonObject): string | undefined {
  return typeof item['phase'] === 'string' ? item['phase'] : undefined;
}

function thoughtsIn(item: JsonObject): readonly string[] {
  return [...objectsIn(item['summary']), ...objectsIn(item['content'])].map((part) => stringIn(part['text']));
}

/** What a message says, a refusal included. */
export function textOf(item: JsonObject): string {
  const parts = objectsIn(item['content']);
  return parts
    .map((part) => stringIn(part['text']) || stringIn(part['refusal']))
    .join('')
    .toWellFormed();
}

export function nameOf(item: JsonObject): string {
  return stringIn(item['name']);
}

export function argumentsOf(item: JsonObject): string {
  const value = item['arguments'];
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

function objectsIn(list: Json | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? (list as readonly Json[]).filter(isJsonObject) : [];
}

export function stringIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

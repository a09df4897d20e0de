import { isJsonObject, parseJson } from '../base/json.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { partsToText, toolMessageToText } from '../model/message.ts';
import type { AssistantMessage, Message, ToolCall, UserMessage } from '../model/message.ts';
import type { ModelRequest, ToolSchema } from '../model/provider.ts';
import type { CacheLife } from '../model/runtime.ts';
import { markMessages } from './openai-chat-markers.ts';
import { wireThoughts } from './openai-chat-thoughts.ts';
import type { ThoughtForm } from './openai-chat-thoughts.ts';
import { imageAddress, partsToShow } from './shown-parts.ts';
import type { ShownPart } from './shown-parts.ts';
import { wireJson } from './wire-json.ts';

/** Where vendors of the same protocol differ in what they accept. */
export interface ChatDialect {
  /** The field that limits the length of an answer. */
  readonly limitField: 'max_tokens' | 'max_completion_tokens';
  /** Whether token counts come by themselves or must be asked for. */
  readonly usage: 'asked-for' | 'by-itself';
  /** Fields that every request carries. */
  readonly fields: JsonObject;
  /** Fields that a past call carries that came without fields of its own. */
  readonly callFields: JsonObject;
  /** What goes back of the model's thoughts. */
  readonly thoughts: ThoughtForm;
  /** Whether `tool_choice` may be sent. Where it may not, a call that is not wanted is just not run. */
  readonly toolChoice: 'accepted' | 'refused';
  /** Whether the server finds its cache of a session by a key. */
  readonly cacheKey: 'accepted' | 'unknown';
  /** The models of which nothing is kept ready unless markers say what, by their names. */
  readonly markedModels: RegExp | undefined;
  /** How it is told how hard to think, if it can be. */
  readonly effort: 'reasoning_effort' | 'reasoning' | 'unknown';
}

export const plainDialect: ChatDialect = {
  limitField: 'max_tokens',
  usage: 'asked-for',
  fields: {},
  callFields: {},
  thoughts: 'nothing',
  toolChoice: 'accepted',
  cacheKey: 'unknown',
  markedModels: undefined,
  effort: 'unknown',
};

/**
 * The body of a request. Without markers, everything up to the `]` that closes the messages is the beginning of every
 * later request of the same conversation, byte for byte: what may change from one to the next comes behind it. Pure.
 */
export function prepareOpenAiChat(
  request: ModelRequest,
  dialect: ChatDialect = plainDialect,
  vendor = '',
  cacheLife: CacheLife = '5m',
): string {
  const said = request.messages.map((message) => wireMessage(message, dialect, vendor, request.images));
  const messages = [...wireSystem(request.system), ...said];
  const body: JsonObject = {
    model: request.model,
    stream: true,
    ...(dialect.usage === 'asked-for' ? { stream_options: { include_usage: true } } : {}),
    ...dialect.fields,
    ...(request.tools.length > 0 ? { tools: request.tools.map(wireTool) } : {}),
    messages: dialect.markedModels?.test(request.model) ? markMessages(messages, cacheLife) : messages,
    ...(request.maxOutputTokens === undefined ? {} : { [dialect.limitField]: request.maxOutputTokens }),
    ...(dialect.cacheKey === 'accepted' ? { prompt_cache_key: request.cacheKey } : {}),
    ...wireEffort(request, dialect),
    ...wireToolChoice(request, dialect),
  };
  return wireJson(body);
}

function wireTool(tool: ToolSchema): JsonObject {
  const { name, description, parameters } = tool;
  return { type: 'function', function: { name, description, parameters } };
}

function wireSystem(system: string): readonly JsonObject[] {
  return system === '' ? [] : [{ role: 'system', content: system }];
}

function wireEffort({ effort }: ModelRequest, dialect: ChatDialect): JsonObject {
  if (effort === undefined || dialect.effort === 'unknown') return {};
  return dialect.effort === 'reasoning' ? { reasoning: { effort } } : { reasoning_effort: effort };
}

function wireToolChoice({ toolUse, tools }: ModelRequest, dialect: ChatDialect): JsonObject {
  // Without tools there is nothing to forbid, and some servers refuse the field then.
  if (toolUse !== 'forbidden' || tools.length === 0) return {};
  return dialect.toolChoice === 'accepted' ? { tool_choice: 'none' } : {};
}

function wireMessage(
  message: Message,
  dialect: ChatDialect,
  vendor: string,
  images: ModelRequest['images'],
): JsonObject {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: wireUser(message, images) };
    case 'assistant':
      return wireAssistant(message, dialect, vendor);
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: toolMessageToText(message) };
  }
}

/** Text alone stays plain text: servers without images know no other form. */
function wireUser({ parts }: UserMessage, images: ModelRequest['images']): Json {
  return partsToShow(parts, images)?.map(wirePart) ?? partsToText(parts);
}

function wirePart(part: ShownPart): JsonObject {
  return part.type === 'text' ? part : { type: 'image_url', image_url: { url: imageAddress(part) } };
}

// Several servers (Mistral, vLLM) refuse a past answer that neither says nor calls anything, such as one that only thought.
const nothing = '(nothing)';

function wireAssistant(message: AssistantMessage, dialect: ChatDialect, vendor: string): JsonObject {
  const text = partsToText(message.parts);
  const { fields, callFields } = wireThoughts(message, dialect.thoughts, vendor);
  if (message.calls.length === 0) return { role: 'assistant', content: text.trim() === '' ? nothing : text, ...fields };
  const isUnsigned = callFields.size === 0;
  const calls = message.calls.map((call, place) =>
    wireCall(call, isUnsigned ? dialect.callFields : (callFields.get(place) ?? {})),
  );
  return { role: 'assistant', content: text === '' ? null : text, ...fields, tool_calls: calls };
}

function wireCall(call: ToolCall, fields: JsonObject): JsonObject {
  const wired = { name: call.name, arguments: wireArguments(call.arguments) };
  return { id: call.id, type: 'function', function: wired, ...fields };
}

/** Servers parse the arguments of past calls and refuse the whole request over one that is not an object. */
export function wireArguments(text: string): string {
  const parsed: Json | undefined = parseJson(text);
  if (!isJsonObject(parsed)) return '{}';
  // Escaped in JSON, half a surrogate pair is plain ASCII here and breaks only the server's parser.
  return /\\ud[89a-f]/i.test(text) ? wireJson(parsed) : text;
}

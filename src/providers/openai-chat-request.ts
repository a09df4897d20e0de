import { isJsonObject, parseJson } from '../base/json.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { partsToText, toolMessageToText } from '../model/message.ts';
import type { AssistantMessage, Message, ToolCall } from '../model/message.ts';
import type { ModelRequest, ToolSchema } from '../model/provider.ts';

/** Where vendors of the same protocol differ in what they accept. */
export interface ChatDialect {
  /** The field that limits the length of an answer. */
  readonly limitField: 'max_tokens' | 'max_completion_tokens';
  /** Whether token counts come by themselves or must be asked for. */
  readonly usage: 'asked-for' | 'by-itself';
  /** Fields that every request carries. */
  readonly fields: JsonObject;
  /** Fields that every call carries when it is sent back. */
  readonly callFields: JsonObject;
}

export const plainDialect: ChatDialect = { limitField: 'max_tokens', usage: 'asked-for', fields: {}, callFields: {} };

/**
 * The body of a request. Everything up to the `]` that closes the messages is the beginning of every later request of
 * the same conversation, byte for byte: what may change from one to the next comes behind it. Pure.
 */
export function prepareOpenAiChat(request: ModelRequest, dialect: ChatDialect = plainDialect): string {
  const body: JsonObject = {
    model: request.model,
    stream: true,
    ...(dialect.usage === 'asked-for' ? { stream_options: { include_usage: true } } : {}),
    ...dialect.fields,
    ...(request.tools.length > 0 ? { tools: request.tools.map(wireTool) } : {}),
    messages: [...wireSystem(request.system), ...request.messages.map((message) => wireMessage(message, dialect))],
    ...(request.maxOutputTokens === undefined ? {} : { [dialect.limitField]: request.maxOutputTokens }),
    // Without tools there is nothing to forbid, and some servers refuse the field then.
    ...(request.toolUse === 'forbidden' && request.tools.length > 0 ? { tool_choice: 'none' } : {}),
  };
  return JSON.stringify(body, mendText);
}

// Half a surrogate pair is no character: servers answer it with an error that names no cause.
export function mendText(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

function wireTool(tool: ToolSchema): JsonObject {
  const { name, description, parameters } = tool;
  return { type: 'function', function: { name, description, parameters } };
}

function wireSystem(system: string): readonly JsonObject[] {
  return system === '' ? [] : [{ role: 'system', content: system }];
}

function wireMessage(message: Message, dialect: ChatDialect): JsonObject {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: partsToText(message.parts) };
    case 'assistant':
      return wireAssistant(message, dialect);
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: toolMessageToText(message) };
  }
}

function wireAssistant(message: AssistantMessage, dialect: ChatDialect): JsonObject {
  const text = partsToText(message.parts);
  if (message.calls.length === 0) return { role: 'assistant', content: text };
  const calls = message.calls.map((call) => wireCall(call, dialect));
  return { role: 'assistant', content: text === '' ? null : text, tool_calls: calls };
}

function wireCall(call: ToolCall, dialect: ChatDialect): JsonObject {
  const wired = { name: call.name, arguments: wireArguments(call.arguments) };
  return { id: call.id, type: 'function', function: wired, ...dialect.callFields };
}

/** Servers parse the arguments of past calls and refuse the whole request over one that is not an object. */
export function wireArguments(text: string): string {
  const parsed: Json | undefined = parseJson(text);
  if (!isJsonObject(parsed)) return '{}';
  // Escaped in JSON, half a surrogate pair is plain ASCII here and breaks only the server's parser.
  return /\\ud[89a-f]/i.test(text) ? JSON.stringify(parsed, mendText) : text;
}

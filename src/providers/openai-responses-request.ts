import { isJsonObject } from '../base/json.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { partsToText, toolMessageToText } from '../model/message.ts';
import type { AssistantMessage, Message, ToolCall, UserMessage } from '../model/message.ts';
import type { ModelRequest, ToolSchema } from '../model/provider.ts';
import { wireArguments } from './openai-chat-request.ts';
import { wireJson } from './wire-json.ts';
import { imageAddress, partsToShow } from './shown-parts.ts';
import type { ShownPart } from './shown-parts.ts';

/**
 * The body of a request. Everything up to the `]` that closes the input is the beginning of every later request of the
 * same conversation, byte for byte: what may change from one to the next comes behind it. Reasoning goes back only to
 * the vendor that it came from. Where the server can be asked why it did not find something in its cache, it is. Pure.
 */
export function prepareOpenAiResponses(request: ModelRequest, vendor: string, diagnostics?: 'asked-for'): string {
  const { model, system, tools, cacheKey, effort, messages, images, maxOutputTokens } = request;
  const body: JsonObject = {
    model,
    stream: true,
    // Nothing stays with the vendor: every request carries the whole conversation.
    store: false,
    ...(system === '' ? {} : { instructions: system }),
    ...(tools.length > 0 ? { tools: tools.map(wireTool), parallel_tool_calls: true } : {}),
    ...(refusesEncryption.test(model) ? {} : { include: ['reasoning.encrypted_content'] }),
    prompt_cache_key: cacheKey,
    ...(effort === undefined ? {} : { reasoning: { effort, summary: 'auto' } }),
    input: messages.flatMap((message) => wireMessage(message, vendor, images)),
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    ...(request.toolUse === 'forbidden' && tools.length > 0 ? { tool_choice: 'none' } : {}),
    ...(diagnostics === 'asked-for' ? wireComparison(request) : {}),
  };
  return wireJson(body);
}

/** The request that this one is to be held against. Ids of other servers mean nothing to this one. */
function wireComparison({ lastAnswerId = '' }: ModelRequest): JsonObject {
  return /^resp_\w+$/.test(lastAnswerId) ? { prompt_cache_options: { comparison_response_id: lastAnswerId } } : {};
}

/** Whether a model can be held against another request: GPT-5.6 and later; those before answer the field with a 400. */
export function comparesRequests(model: string): boolean {
  const version = /^gpt-(\d+)(?:\.(\d+))?(?![\d.])/.exec(model);
  if (version === null) return false;
  const [major, minor] = [Number(version[1]), Number(version[2] ?? 0)];
  return major > 5 || (major === 5 && minor >= 6);
}

// Models that do not reason answer the wish for encrypted reasoning with a 400.
const refusesEncryption = /(?:^|\/)(?:gpt-[34]|chatgpt|gpt-5[^/]*-chat)/;

function wireTool({ name, description, parameters }: ToolSchema): JsonObject {
  // Left out, `strict` would be on, and the server would demand schemas in which every property is required.
  return { type: 'function', name, description, parameters, strict: false };
}

function wireMessage(message: Message, vendor: string, images: ModelRequest['images']): readonly JsonObject[] {
  switch (message.role) {
    case 'user':
      return [{ type: 'message', role: 'user', content: wireUser(message, images) }];
    case 'assistant':
      return wireAssistant(message, vendor);
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.callId, output: toolMessageToText(message) }];
  }
}

function wireUser({ parts }: UserMessage, images: ModelRequest['images']): readonly JsonObject[] {
  const shown = partsToShow(parts, images) ?? [{ type: 'text', text: partsToText(parts) }];
  return shown.map(wirePart);
}

function wirePart(part: ShownPart): JsonObject {
  if (part.type === 'text') return { type: 'input_text', text: part.text };
  return { type: 'input_image', image_url: imageAddress(part), detail: 'auto' };
}

/** An answer in the order in which it came; where nothing says so, its reasoning, then its text, then its calls. */
function wireAssistant(message: AssistantMessage, vendor: string): readonly JsonObject[] {
  const texts = message.parts.map((part) => partsToText([part]));
  const calls = message.calls.map(wireCall);
  const items = ownItems(message, vendor).flatMap((item) => {
    if (item['type'] === 'message') return texts.splice(0, 1).map((text) => wireText(text, item['phase']));
    if (item['type'] === 'function_call') return calls.splice(0, 1);
    return isReplayable(item) ? [withoutId(item)] : [];
  });
  const rest = texts.length > 0 ? [wireText(texts.join('\n'))] : [];
  const all = [...items, ...rest, ...calls];
  // The server refuses reasoning that nothing follows, and a turn of the model must stand between two of the user.
  return (all.at(-1)?.['type'] ?? 'reasoning') === 'reasoning' ? [...all, wireText('')] : all;
}

function ownItems({ reasoning }: AssistantMessage, vendor: string): readonly JsonObject[] {
  return reasoning?.vendor === vendor ? reasoning.items.filter(isJsonObject) : [];
}

/** Where nothing is stored an id finds nothing, so that reasoning has to carry its content. */
function isReplayable(item: JsonObject): boolean {
  const { encrypted_content: encrypted, content } = item;
  const hasContent = typeof encrypted === 'string' ? encrypted !== '' : Array.isArray(content) && content.length > 0;
  return item['type'] === 'reasoning' && hasContent;
}

function withoutId({ id: _id, ...rest }: JsonObject): JsonObject {
  return rest;
}

/** Later models tell a remark on the way from the answer by its phase, and want it back. */
function wireText(text: string, phase?: Json): JsonObject {
  const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] };
  return typeof phase === 'string' ? { ...message, phase } : message;
}

function wireCall(call: ToolCall): JsonObject {
  return { type: 'function_call', call_id: call.id, name: call.name, arguments: wireArguments(call.arguments) };
}

import type { JsonObject } from '../base/json.ts';
import type { ModelRequest, ToolSchema } from '../model/provider.ts';
import { usualOutputTokens } from '../model/runtime.ts';
import { wireConversation } from './anthropic-messages-conversation.ts';
import { wireEffort } from './anthropic-messages-effort.ts';
import { isThought } from './anthropic-messages-wire.ts';
import type {
  AnthropicBody,
  CacheMarker,
  CacheTtl,
  TextBlock,
  WireMessage,
  WireTool,
} from './anthropic-messages-wire.ts';
import { wireJson } from './wire-json.ts';

export interface AnthropicOptions {
  /** How long the server keeps what it has read. */
  readonly cacheTtl: CacheTtl;
  /** Whose reasoning may go back. */
  readonly vendor: string;
  /** Whether the server can be asked why it did not find something in its cache. */
  readonly diagnostics?: 'asked-for';
}

const mostMarkers = 4;

/**
 * The body of a request. Without the markers, everything up to the `]}]` that closes the last message and the messages is
 * the beginning of every later request of the same conversation, byte for byte: what may change from one to the next comes
 * behind it. Pure.
 */
export function prepareAnthropicMessages(request: ModelRequest, options: AnthropicOptions): string {
  return wireJson(composeBody(request, options));
}

/** The body as a value. The order of its keys is the order of the bytes. */
export function composeBody(request: ModelRequest, options: AnthropicOptions): AnthropicBody {
  const { cacheTtl, vendor, diagnostics } = options;
  const marker: CacheMarker = cacheTtl === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' };
  const system = wireSystem(request.system, marker);
  const messages = wireConversation(request.messages, vendor, request.images);
  const maxTokens = request.maxOutputTokens ?? usualOutputTokens.anthropic_messages;
  return {
    model: request.model,
    stream: true,
    ...(request.tools.length > 0 ? { tools: request.tools.map(wireTool) } : {}),
    ...(system.length > 0 ? { system } : {}),
    messages: markNewest(messages, mostMarkers - system.length, marker),
    ...wireEffort({ model: request.model, effort: request.effort, maxTokens, messages }),
    // Without tools there is nothing to forbid, and the API refuses the field then.
    ...(request.toolUse === 'forbidden' && request.tools.length > 0 ? { tool_choice: { type: 'none' } } : {}),
    ...(diagnostics === 'asked-for' ? { diagnostics: wireComparison(request) } : {}),
  };
}

/** Without the field the server keeps nothing that a later request could be held against. Ids of other servers mean nothing to it. */
function wireComparison({ lastAnswerId = '' }: ModelRequest): AnthropicBody['diagnostics'] & object {
  return { previous_message_id: /^msg_\w+$/.test(lastAnswerId) ? lastAnswerId : null };
}

/** The server reads the tools before the system prompt, so that one marker keeps both. */
function wireSystem(text: string, marker: CacheMarker): readonly TextBlock[] {
  return text.trim() === '' ? [] : [{ type: 'text', text, cache_control: marker }];
}

function wireTool({ name, description, parameters }: ToolSchema): WireTool {
  return { name, ...(description === '' ? {} : { description }), input_schema: wireSchema(parameters) };
}

/** The API takes schemas of objects alone, and no choice between several at the top. */
function wireSchema(parameters: JsonObject): WireTool['input_schema'] {
  const { oneOf: _one, anyOf: _any, allOf: _all, ...schema } = parameters;
  return { ...schema, type: 'object' };
}

/**
 * Marks the end of the newest messages. The last marker writes; of those before it one stands where the request before
 * this one ended, however many blocks were added since, and is found again.
 */
function markNewest(messages: readonly WireMessage[], count: number, marker: CacheMarker): readonly WireMessage[] {
  const marked = [...messages];
  let left = count;
  for (let index = marked.length - 1; index >= 0 && left > 0; index -= 1) {
    const message = marked[index];
    const last = message?.content.at(-1);
    if (message === undefined || last === undefined || isThought(last)) continue;
    marked[index] = { ...message, content: [...message.content.slice(0, -1), { ...last, cache_control: marker }] };
    left -= 1;
  }
  return marked;
}

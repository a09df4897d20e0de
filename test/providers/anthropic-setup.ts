import { textPart } from '../../src/model/message.ts';
import type { AssistantMessage, Message, Reasoning, ToolCall, ToolOutcome } from '../../src/model/message.ts';
import type { ModelRequest, ToolSchema } from '../../src/model/provider.ts';
import { createAnthropicMessages } from '../../src/providers/anthropic-messages.ts';
import { prepareAnthropicMessages } from '../../src/providers/anthropic-messages-request.ts';
import type { AnthropicOptions } from '../../src/providers/anthropic-messages-request.ts';
import type { AnthropicBody, WireMessage } from '../../src/providers/anthropic-messages-wire.ts';
import { HttpTransport } from '../../src/providers/http-transport.ts';
import type { ModelServer } from '../support/model-server.ts';
import { callId, patientTimeouts, requestOf, runtimeAt } from './chat-setup.ts';
import type { ChatOptions, TestChat } from './chat-setup.ts';

/** The real client of the Messages API, pointed at a scripted server. */
export function openAnthropic(server: ModelServer, options: ChatOptions = {}): TestChat {
  const transport = new HttpTransport({ timeouts: () => patientTimeouts, ...options.transport });
  const runtime = runtimeAt(server.baseUrl, { vendor: 'anthropic', apiMode: 'anthropic_messages', ...options.runtime });
  const provider = createAnthropicMessages(runtime, transport, options.transport?.clock);
  return { ...provider, [Symbol.asyncDispose]: () => provider.close() };
}

export const fiveMinutes: AnthropicOptions = { cacheTtl: '5m', vendor: 'anthropic' };

/** The body of a request, read back from its bytes. */
export function bodyFor(changes: Partial<ModelRequest>, options: AnthropicOptions = fiveMinutes): AnthropicBody {
  return JSON.parse(prepareAnthropicMessages(requestOf(changes), options)) as AnthropicBody;
}

/** The messages of a request as they go out, without markers. */
export function wired(messages: readonly Message[], vendor = 'anthropic'): readonly WireMessage[] {
  const body = prepareAnthropicMessages(requestOf({ messages }), { cacheTtl: '5m', vendor });
  return (JSON.parse(withoutMarkers(body)) as AnthropicBody).messages;
}

export function withoutMarkers(body: string): string {
  return body.replaceAll(/,"cache_control":\{"type":"ephemeral"(?:,"ttl":"1h")?\}/g, '');
}

export function user(text: string): Message {
  return { role: 'user', parts: [textPart(text)] };
}

export function assistant(text: string, calls: readonly ToolCall[] = [], reasoning?: Reasoning): AssistantMessage {
  const parts = text === '' ? [] : [textPart(text)];
  return { role: 'assistant', parts, calls, ...(reasoning === undefined ? {} : { reasoning }) };
}

export function call(id: string, name = 'read_file', text = '{"path":"a.txt"}'): ToolCall {
  return { id: callId(id), name, arguments: text };
}

export function result(id: string, text: string, steering: readonly string[] = []): Message {
  return { role: 'tool', callId: callId(id), outcome: { type: 'done', parts: [textPart(text)] }, steering };
}

export function ended(id: string, outcome: ToolOutcome): Message {
  return { role: 'tool', callId: callId(id), outcome, steering: [] };
}

export function thoughts(items: Reasoning['items'], vendor = 'anthropic'): Reasoning {
  return { vendor, text: '', items };
}

export const readFile: ToolSchema = {
  name: 'read_file',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

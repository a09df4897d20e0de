import type { Json, JsonObject } from '../../src/base/json.ts';
import { sendsRaw } from './model-script.ts';
import type { ModelStep, ScriptedCall, SeenRequest } from './model-script.ts';

/** A block of an answer on Anthropic's wire. Calls without an id get `toolu_<request>_<position>`, counted from 1. */
export type AnthropicBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | ({ readonly type: 'tool_use' } & ScriptedCall);

export type AnthropicThought = Extract<AnthropicBlock, { readonly type: 'thinking' | 'redacted_thinking' }>;

export interface AnthropicAnswerOptions {
  /** The stop reason on the wire; by default `end_turn`, or `tool_use` where there are calls. */
  readonly stop?: string;
  /** The counts on the wire; by default an estimate from the lengths. */
  readonly usage?: { readonly start: JsonObject; readonly end: JsonObject };
  /** What the server found when it held the request against another; by default it was not asked. */
  readonly diagnostics?: JsonObject | null;
}

/** Answers with text, streamed word by word, in the shape of Anthropic's Messages API. */
export function saysAnthropic(text: string, options: AnthropicAnswerOptions = {}): ModelStep {
  return answersAnthropic([{ type: 'text', text }], options);
}

/** Thinks, and then answers with text. */
export function thinksAnthropic(
  thoughts: readonly AnthropicThought[],
  text: string,
  options: AnthropicAnswerOptions = {},
): ModelStep {
  return answersAnthropic([...thoughts, { type: 'text', text }], options);
}

/** Answers with several tool calls in one message; thoughts and `text` come before them. */
export function callsToolsAnthropic(
  calls: readonly ScriptedCall[],
  options: AnthropicAnswerOptions & { readonly text?: string; readonly thoughts?: readonly AnthropicThought[] } = {},
): ModelStep {
  const text: readonly AnthropicBlock[] = options.text === undefined ? [] : [{ type: 'text', text: options.text }];
  const uses = calls.map((call): AnthropicBlock => ({ type: 'tool_use', ...call }));
  return answersAnthropic([...(options.thoughts ?? []), ...text, ...uses], options);
}

/** Answers with these blocks, in this order. */
export function answersAnthropic(blocks: readonly AnthropicBlock[], options: AnthropicAnswerOptions = {}): ModelStep {
  return {
    plan: (request) => sendsAnthropic(answerEvents(request, blocks, options)).plan(request),
  };
}

/** Answers with these events, in this order. Text goes into an event as it is. */
export function sendsAnthropic(events: readonly (Json | string)[]): ModelStep {
  return sendsRaw(events.map(wireEvent));
}

/** The first event of an answer. */
export function messageStart(usage: JsonObject = {}, model = 'scripted', id = 'msg_1'): JsonObject {
  const message = { id, type: 'message', role: 'assistant', model, content: [] };
  const ending = { stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1, ...usage } };
  return { type: 'message_start', message: { ...message, ...ending } };
}

export function blockStart(index: number, block: JsonObject): JsonObject {
  return { type: 'content_block_start', index, content_block: block };
}

export function blockDelta(index: number, delta: JsonObject): JsonObject {
  return { type: 'content_block_delta', index, delta };
}

export function blockStop(index: number): JsonObject {
  return { type: 'content_block_stop', index };
}

export function messageDelta(stop: string | null, usage: JsonObject = { output_tokens: 1 }): JsonObject {
  return { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage };
}

export const messageStop: JsonObject = { type: 'message_stop' };
export const ping: JsonObject = { type: 'ping' };

function wireEvent(event: Json | string): string {
  if (typeof event === 'string') return `data: ${event}\n\n`;
  const type = (event as JsonObject)['type'];
  const name = typeof type === 'string' ? `event: ${type}\n` : '';
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}

function answerEvents(
  request: SeenRequest,
  blocks: readonly AnthropicBlock[],
  options: AnthropicAnswerOptions,
): readonly Json[] {
  const usage = options.usage ?? estimateUsage(request, blocks);
  const stop = options.stop ?? (blocks.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn');
  const model = request.json?.['model'];
  const start = messageStart(usage.start, typeof model === 'string' ? model : 'scripted', `msg_${request.index + 1}`);
  const { diagnostics } = options;
  return [
    diagnostics === undefined ? start : { ...start, message: { ...(start['message'] as JsonObject), diagnostics } },
    ping,
    ...blocks.flatMap((block, index) => blockEvents(block, index, request)),
    messageDelta(stop, usage.end),
    messageStop,
  ];
}

function blockEvents(block: AnthropicBlock, index: number, request: SeenRequest): readonly Json[] {
  const { start, deltas } = streamBlock(block, `toolu_${request.index + 1}_${index + 1}`);
  return [blockStart(index, start), ...deltas.map((delta) => blockDelta(index, delta)), blockStop(index)];
}

function streamBlock(
  block: AnthropicBlock,
  id: string,
): { readonly start: JsonObject; readonly deltas: readonly JsonObject[] } {
  switch (block.type) {
    case 'text':
      return {
        start: { type: 'text', text: '' },
        deltas: pieces(block.text).map((text) => ({ type: 'text_delta', text })),
      };
    case 'thinking':
      return {
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          ...pieces(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
          { type: 'signature_delta', signature: block.signature },
        ],
      };
    case 'redacted_thinking':
      return { start: { type: 'redacted_thinking', data: block.data }, deltas: [] };
    case 'tool_use': {
      const text = typeof block.args === 'string' ? block.args : JSON.stringify(block.args);
      return {
        start: { type: 'tool_use', id: block.id ?? id, name: block.name, input: {} },
        deltas: ['', ...(text.match(/[\s\S]{1,12}/g) ?? [])].map((piece) => ({
          type: 'input_json_delta',
          partial_json: piece,
        })),
      };
    }
  }
}

function pieces(text: string): readonly string[] {
  return text.match(/\s*\S+\s*$|\s*\S+/g) ?? (text === '' ? [] : [text]);
}

function estimateUsage(
  request: SeenRequest,
  blocks: readonly AnthropicBlock[],
): { readonly start: JsonObject; readonly end: JsonObject } {
  const read = Math.ceil(request.body.length / 4);
  return {
    start: { input_tokens: read, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 },
    end: { output_tokens: Math.ceil(JSON.stringify(blocks).length / 4) },
  };
}

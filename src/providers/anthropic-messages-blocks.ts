import { isJsonObject } from '../base/json.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { GrowingText } from './growing-text.ts';
import { longestArguments } from './openai-chat-calls.ts';

/** A block of an answer as far as it has arrived. Blocks of other kinds are none of ours, and their pieces are ignored. */
export type OpenBlock =
  | { readonly type: 'text'; readonly text: GrowingText }
  | { readonly type: 'thinking'; readonly thinking: GrowingText; signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; input: string; isClosed: boolean }
  | { readonly type: 'unknown' };

export type BlockNews =
  | { readonly type: 'nothing' }
  | { readonly type: 'said' | 'thought'; readonly text: string }
  | { readonly type: 'called'; readonly name: string }
  | { readonly type: 'bad'; readonly problem: string };

/** The block that an event begins, and what can be shown of it at once. Some servers send a whole block here. */
export function openBlock(content: JsonObject): { readonly block: OpenBlock; readonly news: BlockNews } {
  switch (stringIn(content['type'])) {
    case 'text': {
      const block: OpenBlock = { type: 'text', text: new GrowingText() };
      return { block, news: addToBlock(block, { type: 'text_delta', text: content['text'] ?? '' }) };
    }
    case 'thinking': {
      const signature = stringIn(content['signature']);
      const block: OpenBlock = { type: 'thinking', thinking: new GrowingText(), signature };
      return { block, news: addToBlock(block, { type: 'thinking_delta', thinking: content['thinking'] ?? '' }) };
    }
    case 'redacted_thinking':
      return { block: { type: 'redacted_thinking', data: stringIn(content['data']) }, news: nothing };
    case 'tool_use':
      return openCall(content);
  }
  return { block: { type: 'unknown' }, news: nothing };
}

/** Adds a piece to its block. A piece of a kind that the block does not have changes nothing. */
export function addToBlock(block: OpenBlock, delta: JsonObject): BlockNews {
  switch (stringIn(delta['type'])) {
    case 'text_delta':
      return block.type === 'text' ? shown('said', block.text.add(stringIn(delta['text']))) : nothing;
    case 'thinking_delta':
      return block.type === 'thinking' ? shown('thought', block.thinking.add(stringIn(delta['thinking']))) : nothing;
    case 'signature_delta':
      if (block.type === 'thinking') block.signature = stringIn(delta['signature']);
      return nothing;
    case 'input_json_delta':
      return block.type === 'tool_use' ? addInput(block, stringIn(delta['partial_json'])) : nothing;
  }
  return nothing;
}

const nothing: BlockNews = { type: 'nothing' };

function openCall(content: JsonObject): { readonly block: OpenBlock; readonly news: BlockNews } {
  const name = stringIn(content['name']);
  if (name === '') {
    return { block: { type: 'unknown' }, news: { type: 'bad', problem: 'a tool call in the answer has no name' } };
  }
  // The input that it begins with is empty, and its pieces follow, except where a server sends calls only as a whole.
  const isWhole = isJsonObject(content['input']) && Object.keys(content['input']).length > 0;
  const input = isWhole ? JSON.stringify(content['input']) : '';
  const block: OpenBlock = { type: 'tool_use', id: stringIn(content['id']), name, input, isClosed: false };
  return { block, news: input.length > longestArguments ? tooLong : { type: 'called', name } };
}

function addInput(block: Extract<OpenBlock, { readonly type: 'tool_use' }>, piece: string): BlockNews {
  block.input += piece;
  return block.input.length > longestArguments ? tooLong : nothing;
}

const tooLong: BlockNews = {
  type: 'bad',
  problem: `the arguments of a tool call are longer than ${longestArguments} characters`,
};

function shown(type: 'said' | 'thought', text: string): BlockNews {
  return text === '' ? nothing : { type, text };
}

/** A string, where the protocol has one; whatever else stands there counts as nothing. */
export function stringIn(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

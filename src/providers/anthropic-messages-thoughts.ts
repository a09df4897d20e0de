import type { CallId } from '../base/ids.ts';
import { isJsonObject } from '../base/json.ts';
import type { Json } from '../base/json.ts';
import { partsToText } from '../model/message.ts';
import type { AssistantMessage } from '../model/message.ts';
import { isThought } from './anthropic-messages-wire.ts';
import type { Block, TextBlock, ThoughtBlock, ToolUseBlock } from './anthropic-messages-wire.ts';

/**
 * What is kept of an answer's reasoning: its thoughts as they came, and between them, for each text and each call that
 * came there, the bare type of its block. The API checks that every thought comes back in its old place.
 */
export type ReasoningItem = ThoughtBlock | { readonly type: 'text' } | { readonly type: 'tool_use' };

/** Drops what stands behind the last thought: texts and calls follow there in their usual order anyway. */
export function keepReasoning(blocks: readonly ReasoningItem[]): readonly ReasoningItem[] {
  return blocks.slice(0, blocks.findLastIndex((block) => isThoughtItem(block)) + 1);
}

/**
 * A past answer as it came, with those of its calls that are in `uses`. Thoughts that led to nothing, because the answer
 * was cut off in them, are left out, since the API takes no message that ends with one.
 */
export function wireAnswer(
  answer: AssistantMessage,
  uses: ReadonlyMap<CallId, ToolUseBlock>,
  vendor: string,
): readonly Block[] {
  const texts = answer.parts.map((part) => wireText(partsToText([part])));
  const left = new Map(uses);
  const calls = answer.calls.map((call) => takeOut(left, call.id));
  const items = answer.reasoning?.vendor === vendor ? answer.reasoning.items : [];
  const inOrder = items.map((item) => {
    const type = isJsonObject(item) ? item['type'] : undefined;
    if (type === 'text') return texts.shift();
    if (type === 'tool_use') return calls.shift();
    return readThought(item);
  });
  const blocks = [...inOrder, ...texts, ...calls].filter((block) => block !== undefined);
  return blocks.slice(0, blocks.findLastIndex((block) => !isThought(block)) + 1);
}

function takeOut(uses: Map<CallId, ToolUseBlock>, id: CallId): ToolUseBlock | undefined {
  const use = uses.get(id);
  uses.delete(id);
  return use;
}

function wireText(text: string): TextBlock | undefined {
  return text.trim() === '' ? undefined : { type: 'text', text };
}

/** The same vendor may have thought over another protocol, in another form. */
function readThought(item: Json): ThoughtBlock | undefined {
  if (!isJsonObject(item)) return undefined;
  const { type, thinking, signature, data } = item;
  if (type === 'redacted_thinking' && typeof data === 'string') return { type, data };
  if (type !== 'thinking' || typeof thinking !== 'string' || typeof signature !== 'string') return undefined;
  return { type, thinking, signature };
}

function isThoughtItem(item: ReasoningItem): boolean {
  return item.type === 'thinking' || item.type === 'redacted_thinking';
}

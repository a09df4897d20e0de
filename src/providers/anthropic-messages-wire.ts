import type { JsonObject } from '../base/json.ts';
import type { ImageType } from '../model/image.ts';

// The parts of the Messages API that we send, as its reference names them.

export type CacheTtl = '5m' | '1h';

/** Marks the end of a beginning that the server is to keep. Five minutes are the server's default. */
export interface CacheMarker {
  readonly type: 'ephemeral';
  readonly ttl?: '1h';
}

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
  readonly cache_control?: CacheMarker;
}

export interface ImageBlock {
  readonly type: 'image';
  readonly source: { readonly type: 'base64'; readonly media_type: ImageType; readonly data: string };
  readonly cache_control?: CacheMarker;
}

export interface ToolUseBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly cache_control?: CacheMarker;
}

export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content?: string;
  readonly is_error?: true;
  readonly cache_control?: CacheMarker;
}

/** A thought goes back as it came or not at all: the signature is over all of it. */
export type ThoughtBlock =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string };

export type Block = TextBlock | ImageBlock | ToolUseBlock | ToolResultBlock | ThoughtBlock;

export interface WireMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
}

export interface WireTool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: JsonObject & { readonly type: 'object' };
}

/** How hard the model is asked to think. */
export interface WireEffort {
  readonly thinking?:
    | { readonly type: 'adaptive'; readonly display: 'summarized' }
    | { readonly type: 'enabled'; readonly budget_tokens: number };
  readonly output_config?: { readonly effort: 'low' | 'medium' | 'high' };
}

export interface AnthropicBody extends WireEffort {
  readonly model: string;
  readonly stream: true;
  readonly tools?: readonly WireTool[];
  readonly system?: readonly TextBlock[];
  readonly messages: readonly WireMessage[];
  readonly max_tokens: number;
  readonly tool_choice?: { readonly type: 'none' };
  /** Asks what changed since another request; null for none, and this one can then be asked about later. */
  readonly diagnostics?: { readonly previous_message_id: string | null };
}

export function isThought(block: Block): block is ThoughtBlock {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

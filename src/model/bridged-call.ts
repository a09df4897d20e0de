import { isJsonObject, parseJson } from '../base/json.ts';
import type { Json } from '../base/json.ts';
import type { ToolCall } from './message.ts';

/** The two tools that stand for many: one finds them, the other calls them. */
export const bridgeNames = { search: 'tool_search', call: 'tool_call' } as const;

/** A call as people are shown it: of a call through the bridge, the one that it means. Pure. */
export function underlyingCall(call: ToolCall): ToolCall {
  if (call.name !== bridgeNames.call) return call;
  const written = parseJson(call.arguments);
  if (!isJsonObject(written) || typeof written['name'] !== 'string') return call;
  const { name, arguments: input } = written as { readonly name: string; readonly arguments?: Json };
  return { ...call, name, arguments: typeof input === 'string' ? input : JSON.stringify(input ?? {}) };
}

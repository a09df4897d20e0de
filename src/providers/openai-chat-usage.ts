import { isJsonObject } from '../base/json.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Usage } from '../model/provider.ts';

/**
 * The token counts of an answer in our terms. On this protocol what was read from a cache is part of the prompt's count
 * and is taken out of it here; vendors differ in where they say so.
 */
export function readUsage(usage: JsonObject): Usage {
  const prompt = objectAt(usage, 'prompt_tokens_details');
  const completion = objectAt(usage, 'completion_tokens_details');
  const read = count(usage['prompt_tokens']);
  const cacheRead =
    count(prompt['cached_tokens']) ||
    count(usage['cached_tokens']) ||
    count(usage['cache_read_input_tokens']) ||
    count(usage['prompt_cache_hit_tokens']);
  const cacheWrite = count(prompt['cache_write_tokens']) || count(usage['cache_creation_input_tokens']);
  const reasoning = count(completion['reasoning_tokens']);
  return {
    fresh: Math.max(0, read - cacheRead - cacheWrite),
    cacheRead,
    cacheWrite,
    output: countOutput(usage, read, reasoning),
    reasoning,
  };
}

/** Some vendors count reasoning beside the output instead of in it; their total gives them away. */
function countOutput(usage: JsonObject, read: number, reasoning: number): number {
  const output = count(usage['completion_tokens']);
  return count(usage['total_tokens']) === read + output + reasoning ? output + reasoning : output;
}

function objectAt(value: JsonObject, key: string): JsonObject {
  const inner = value[key];
  return isJsonObject(inner) ? inner : {};
}

function count(value: Json | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}

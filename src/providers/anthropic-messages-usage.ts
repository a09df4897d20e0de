import { isJsonObject } from '../base/json.ts';
import type { Json } from '../base/json.ts';
import { noUsage } from '../model/provider.ts';
import type { Usage } from '../model/provider.ts';

/**
 * The token counts of an answer in our terms, which are the protocol's own. They come at the beginning and again at the
 * end; what the end says is the total, and what it leaves out stays as it was.
 */
export function readUsage(usage: Json | undefined, before: Usage = noUsage): Usage {
  if (!isJsonObject(usage)) return before;
  const details = isJsonObject(usage['output_tokens_details']) ? usage['output_tokens_details'] : {};
  return {
    fresh: count(usage['input_tokens']) ?? before.fresh,
    cacheRead: count(usage['cache_read_input_tokens']) ?? before.cacheRead,
    cacheWrite: count(usage['cache_creation_input_tokens']) ?? before.cacheWrite,
    output: count(usage['output_tokens']) ?? before.output,
    reasoning: count(details['thinking_tokens']) ?? before.reasoning,
  };
}

function count(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? Math.max(0, Math.round(value)) : undefined;
}

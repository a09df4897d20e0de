import type { Json } from '../base/json.ts';
import type { CacheMiss, CacheReport } from '../model/provider.ts';

// Both are kept in the log, so that nothing goes in that is not what it should be.
const longestId = 200;
const reasonForm = /^[a-z][a-z_]{0,60}$/;

/** What a server says of its cache, as far as it has the form that its documentation gives. Pure. */
export function composeReport(id: Json | undefined, reason?: Json, tokens?: Json): CacheReport {
  const isId = typeof id === 'string' && id.length <= longestId;
  const isReason = typeof reason === 'string' && reasonForm.test(reason);
  return {
    ...(isId && { answerId: id }),
    ...(isReason && { cacheMiss: composeMiss(reason, tokens) }),
  };
}

function composeMiss(reason: string, tokens: Json | undefined): CacheMiss {
  const isCount = typeof tokens === 'number' && Number.isFinite(tokens) && tokens >= 0;
  return { reason, ...(isCount && { tokens: Math.round(tokens) }) };
}

import { isJsonObject } from '../base/json.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { CacheReport } from '../model/provider.ts';
import { composeReport } from './cache-report.ts';

/**
 * What the beginning of an answer says of the server's cache. Nothing is there where the request only added to the one
 * that it was held against, and where the server was not yet done comparing.
 */
export function readReport({ id, diagnostics }: JsonObject): CacheReport {
  const reason: Json = isJsonObject(diagnostics) ? (diagnostics['cache_miss_reason'] ?? null) : null;
  if (!isJsonObject(reason)) return composeReport(id);
  return composeReport(id, reason['type'], reason['cache_missed_input_tokens']);
}

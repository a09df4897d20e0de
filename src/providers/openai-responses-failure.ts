import { isJsonObject } from '../base/json.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { ModelFailure } from '../model/provider.ts';
import { describeErrorEvent } from './answer-failure.ts';

// The codes that only this protocol has, as the status that the same error has before a stream.
const statusOfCode: Readonly<Record<string, number>> = {
  invalid_prompt: 400,
  invalid_encrypted_content: 400,
  data_residency_mismatch: 400,
  bio_policy: 400,
  misalignment_policy_violation: 400,
  usage_not_included: 403,
  usage_limit_reached: 429,
  server_is_overloaded: 503,
  slow_down: 503,
};

/** The failure in an `error` event, whose fields stand in it or in an object of their own. */
export function describeStreamError(event: JsonObject): ModelFailure {
  return describe(isJsonObject(event['error']) ? { status: event['status'] ?? null, ...event['error'] } : event);
}

/** The failure in a `response.failed` event. */
export function describeFailedResponse(event: JsonObject): ModelFailure {
  const response = event['response'];
  return describe(isJsonObject(response) ? (response['error'] ?? '') : '');
}

function describe(error: Json): ModelFailure {
  if (!isJsonObject(error)) return describeErrorEvent(error);
  const code = error['code'];
  const status = typeof code === 'string' ? statusOfCode[code] : undefined;
  return describeErrorEvent(status === undefined ? error : { ...error, status });
}

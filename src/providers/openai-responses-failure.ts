import { isJsonObject } from '../base/json.ts';
import type { JsonObject } from '../base/json.ts';
import type { ModelFailure } from '../model/provider.ts';
import { describeErrorEvent } from './answer-failure.ts';

/** The failure in an `error` event, whose fields stand in it or in an object of their own. */
export function describeStreamError(event: JsonObject): ModelFailure {
  return describeErrorEvent(
    isJsonObject(event['error']) ? { status: event['status'] ?? null, ...event['error'] } : event,
  );
}

/** The failure in a `response.failed` event. */
export function describeFailedResponse(event: JsonObject): ModelFailure {
  const response = event['response'];
  return describeErrorEvent(isJsonObject(response) ? (response['error'] ?? '') : '');
}

import { isJsonObject } from '../base/json.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Finish, ModelFailure } from '../model/provider.ts';
import { describeErrorEvent } from './answer-failure.ts';

const finishes: Readonly<Record<string, Finish>> = {
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  model_context_window_exceeded: 'length',
  content_filter: 'filtered',
  sensitive: 'filtered',
};

// Reasons that are no end of an answer but a breakdown behind it, with the status that says so.
const breakdowns: Readonly<Record<string, number>> = {
  error: 500,
  network_error: 502,
  insufficient_system_resource: 503,
};

/** What a finish reason means. Vendors disagree on the words for most of them; whether there are calls decides then. */
export function decideFinish(reason: string | undefined, has: 'calls' | 'no-calls'): Finish {
  return finishes[reason ?? ''] ?? (has === 'calls' ? 'calls' : 'stop');
}

/** The failure that a finish reason stands for, if it stands for one. */
export function failureOfFinish(reason: string): ModelFailure | undefined {
  const status = breakdowns[reason];
  if (status === undefined) return undefined;
  return describeErrorEvent({ code: status, message: `the answer ended with ${reason}` });
}

/** The error that a chunk carries instead of a piece of the answer. */
export function failureInChunk(chunk: JsonObject): ModelFailure | undefined {
  const error = chunk['error'] ?? null;
  if (error !== null) return describeErrorEvent(error);
  const response = chunk['base_resp'];
  if (!isJsonObject(response) || response['status_code'] === undefined || response['status_code'] === 0)
    return undefined;
  return describeErrorEvent({ code: statusOf(response['status_code']), message: response['status_msg'] ?? '' });
}

// The codes of MiniMax's documentation, which come with a status of 200.
const statusOfCode: Readonly<Record<string, number>> = {
  1001: 504,
  1002: 429,
  1004: 401,
  1008: 402,
  1039: 429,
  2013: 400,
};

function statusOf(code: Json | undefined): number {
  return (typeof code === 'number' ? statusOfCode[code] : undefined) ?? 500;
}

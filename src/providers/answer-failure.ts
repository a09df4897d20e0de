import { isJsonObject, parseJson } from '../base/json.ts';
import type { Json } from '../base/json.ts';
import type { ModelFailure } from '../model/provider.ts';
import type { BodyPiece, TransportAnswer } from './transport.ts';

const longestMessage = 300;
const longestBody = 65_536;
const longestRetryMs = 120_000;

type Answered = Extract<TransportAnswer, { readonly type: 'answered' }>;

/** A server that says nothing of its type is believed; a compressed answer was not asked for and is not unpacked. */
export function isEventStream(answer: Answered): boolean {
  const type = answer.headers['content-type'] ?? '';
  const encoding = answer.headers['content-encoding'] ?? 'identity';
  return answer.status === 200 && encoding === 'identity' && !/\b(?:html|json)\b/.test(type);
}

/** An answer that is not a stream of events as a failure with a short message. */
export async function describeRefusal(answer: Answered, nowMs: number): Promise<ModelFailure> {
  const body = await readStart(answer.body);
  if (body.type === 'failed') return { type: 'aborted' };
  const said = shorten(describeBody(answer, body.text));
  if (answer.status >= 200 && answer.status < 300) {
    return { type: 'protocol', message: `it is not a stream of events: ${said}` };
  }
  return { type: 'http', status: answer.status, message: said, retryAfterMs: readRetryAfter(answer.headers, nowMs) };
}

// What a stream says of its end, in the codes of vendors, as the status that the same error has before a stream.
const statusOfCode: Readonly<Record<string, number>> = {
  authentication_error: 401,
  invalid_api_key: 401,
  billing_error: 402,
  insufficient_quota: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  invalid_request_error: 400,
  context_length_exceeded: 400,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/** An error that came as an event, in the middle of a stream that began well. */
export function describeErrorEvent(error: Json): ModelFailure {
  const fields = isJsonObject(error) ? error : {};
  const codes = [fields['code'], fields['status'], fields['type']];
  const status = codes.map(statusOf).find((value) => value !== undefined) ?? 500;
  return { type: 'http', status, message: shorten(messageIn(error)), retryAfterMs: undefined };
}

function statusOf(code: Json | undefined): number | undefined {
  const number = typeof code === 'string' ? (statusOfCode[code] ?? Number(code)) : code;
  return typeof number === 'number' && number >= 400 && number < 600 ? number : undefined;
}

/** How long a server asks us to wait: `retry-after` in seconds or as a date, or OpenAI's milliseconds. */
export function readRetryAfter(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const exact = Number(headers['retry-after-ms'] ?? NaN);
  const text = headers['retry-after'];
  const waits = [
    exact,
    text === undefined ? NaN : Number(text) * 1000,
    text === undefined ? NaN : Date.parse(text) - nowMs,
  ];
  const waitMs = waits.find((wait) => Number.isFinite(wait));
  return waitMs === undefined ? undefined : Math.min(Math.max(0, waitMs), longestRetryMs);
}

function describeBody(answer: Answered, text: string): string {
  if (answer.status >= 300 && answer.status < 400) {
    // Following it would carry the credential to a host that nobody chose.
    return `it redirects to ${originOf(answer.headers['location'])}, which is not followed`;
  }
  if ((answer.headers['content-encoding'] ?? 'identity') !== 'identity') return 'it is compressed, unasked';
  const parsed = parseJson(text);
  if (parsed !== undefined) return messageIn(parsed);
  if (/^\s*</.test(text)) return `an HTML page ${/<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? ''}`;
  return text;
}

function originOf(location: string | undefined): string {
  return location !== undefined && URL.canParse(location) ? new URL(location).origin : 'another address';
}

/** The message in an error's JSON; vendors put it in different places. */
function messageIn(value: Json): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return messageIn((value as readonly Json[])[0] ?? '');
  if (!isJsonObject(value)) return '';
  for (const key of ['error', 'message', 'detail', 'msg']) {
    const message = messageIn(value[key] ?? '');
    if (message !== '') return message;
  }
  return '';
}

/** One line, fit to show: no control characters, never long, never empty. */
function shorten(message: string): string {
  const line = message.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  if (line === '') return 'without saying why';
  return line.length > longestMessage ? `${line.slice(0, longestMessage).toWellFormed()}…` : line;
}

/** The beginning of a body: an error fits into it. A body that breaks off still has its status; an abort has not. */
async function readStart(
  body: AsyncIterable<BodyPiece>,
): Promise<{ readonly type: 'text'; readonly text: string } | { readonly type: 'failed' }> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of body) {
    if (piece.type === 'failed' && piece.failure.type === 'aborted') return { type: 'failed' };
    if (piece.type === 'failed') break;
    text += decoder.decode(piece.bytes, { stream: true });
    if (text.length > longestBody) break;
  }
  return { type: 'text', text };
}

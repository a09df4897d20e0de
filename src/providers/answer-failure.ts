import { isJsonObject, parseJson } from '../base/json.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { ModelFailure } from '../model/provider.ts';
import { classifyFailure, statusOfCode } from './classify-failure.ts';
import type { BodyPiece, TransportAnswer } from './transport.ts';

const longestMessage = 300;
const longestBody = 65_536;
// No limit is longer than that in any documentation; a server that says so is mistaken.
const longestRetryMs = 24 * 60 * 60 * 1000;
const deepestLayer = 4;

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
  const parsed = parseJson(body.text) ?? body.text;
  return refuse(answer.status, parsed, said, readRetryAfter(answer.headers, nowMs));
}

/** An error that came as an event, in the middle of a stream that began well. */
export function describeErrorEvent(error: Json): ModelFailure {
  const fields = isJsonObject(error) ? error : {};
  const codes = [fields['code'], fields['status'], fields['type']];
  const status = codes.map(statusOf).find((value) => value !== undefined) ?? 500;
  return refuse(status, error, shorten(messageIn(error)), undefined);
}

function statusOf(code: Json | undefined): number | undefined {
  const number = typeof code === 'string' ? (statusOfCode(code) ?? Number(code)) : code;
  return typeof number === 'number' && number >= 400 && number < 600 ? number : undefined;
}

function refuse(status: number, body: Json, message: string, retryAfterMs: number | undefined): ModelFailure {
  const layers = layersOf(body);
  const codes = layers.flatMap(codesIn);
  const words = [message, ...layers.map(messageIn)].join('\n');
  return { type: 'http', status, kind: classifyFailure({ status, codes, words }), message, retryAfterMs };
}

/** An error and those around which it was wrapped: gateways hand on what stood behind them, as JSON or as its text. */
function layersOf(value: Json, depth = 0): readonly JsonObject[] {
  const parsed = typeof value === 'string' ? parseJson(value) : value;
  const whole = Array.isArray(parsed) ? ((parsed as readonly Json[])[0] ?? null) : (parsed ?? null);
  if (!isJsonObject(whole) || depth > deepestLayer) return [];
  const inner = ['error', 'message', 'details', 'metadata', 'raw'].map((key) => whole[key] ?? null);
  return [whole, ...inner.flatMap((one) => layersOf(one, depth + 1))];
}

function codesIn(error: JsonObject): readonly string[] {
  return ['code', 'type', 'status', 'reason', 'error_type'].flatMap((key) => {
    const code = error[key];
    return typeof code === 'string' || typeof code === 'number' ? [String(code)] : [];
  });
}

/** How long a server asks us to wait: `retry-after` in seconds or as a date, or OpenAI's milliseconds. */
function readRetryAfter(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
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
  for (const key of ['error', 'message', 'detail', 'msg', 'raw']) {
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

import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describeError } from '../base/errors.ts';
import { isJsonObject, parseJson } from '../base/json.ts';
import type { Recording, Transcript } from '../model/speech.ts';
import type { Environment } from './http-proxy.ts';
import { HttpTransport } from './http-transport.ts';
import type { BodyPiece, Transport, TransportRequest } from './transport.ts';

/** A server that takes recordings as OpenAI's does. */
export interface SpeechServer {
  readonly baseUrl: string;
  readonly model: string;
  readonly key: string | undefined;
}

// Whoever sent the recording waits, and so does all that comes behind it.
const timeouts = { connectMs: 10_000, silenceMs: 30_000, totalMs: 45_000 };
const longestAnswer = 1_000_000;

/** Has a recording written down. It never throws: what went wrong is a reason that can be shown. */
export async function transcribeAudio(
  recording: Recording,
  server: SpeechServer,
  environment: Environment,
  signal: AbortSignal,
): Promise<Transcript> {
  const transport = new HttpTransport({ timeouts: () => timeouts, network: { environment, proxies: 'as-set' } });
  try {
    return await ask(await wordRequest(recording, server), transport, signal);
  } catch (thrown) {
    return { type: 'failed', reason: describeError(thrown) };
  } finally {
    await transport.close();
  }
}

async function wordRequest(recording: Recording, { baseUrl, model, key }: SpeechServer): Promise<TransportRequest> {
  const boundary = randomUUID();
  return {
    url: `${baseUrl.replace(/\/+$/, '')}/audio/transcriptions`,
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    body: '',
    bytes: Buffer.concat([
      field(boundary, 'model', model),
      field(boundary, 'response_format', 'json'),
      Buffer.from(headOfFile(boundary, recording)),
      await readFile(recording.path),
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  };
}

function field(boundary: string, name: string, value: string): Buffer {
  return Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
}

function headOfFile(boundary: string, { name, mediaType }: Recording): string {
  // Servers tell the format by the end of the name, and a name must not end its own quotes.
  const plainName = name.replaceAll(/[^\w.-]/g, '_');
  const type = mediaType.replaceAll(/[^\w/+.-]/g, '');
  return [
    `--${boundary}`,
    `content-disposition: form-data; name="file"; filename="${plainName}"`,
    `content-type: ${type}`,
    '',
    '',
  ].join('\r\n');
}

async function ask(request: TransportRequest, transport: Transport, signal: AbortSignal): Promise<Transcript> {
  const answer = await transport.send(request, signal);
  if (answer.type === 'failed') return { type: 'failed', reason: describe(answer.failure) };
  const body = await readAll(answer.body);
  if (body.type === 'failed') return body;
  if (answer.status !== 200) return { type: 'failed', reason: `the speech server answered ${answer.status}` };
  const json = parseJson(body.text);
  const text = isJsonObject(json) ? json['text'] : undefined;
  return typeof text === 'string'
    ? { type: 'transcribed', text: text.toWellFormed().trim() }
    : { type: 'failed', reason: 'the speech server answered without a text' };
}

type ReadBody = { readonly type: 'read'; readonly text: string } | { readonly type: 'failed'; readonly reason: string };

async function readAll(body: AsyncIterable<BodyPiece>): Promise<ReadBody> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    if (piece.type === 'failed') return { type: 'failed', reason: describe(piece.failure) };
    length += piece.bytes.length;
    if (length > longestAnswer) return { type: 'failed', reason: 'the answer of the speech server is far too long' };
    pieces.push(piece.bytes);
  }
  return { type: 'read', text: Buffer.concat(pieces).toString('utf8') };
}

function describe(failure: { readonly type: string; readonly message?: string }): string {
  return failure.message ?? failure.type;
}

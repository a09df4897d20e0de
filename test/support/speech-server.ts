import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A recording as the server was sent it. */
export interface HeardRecording {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly model: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

export interface SpeechServer extends AsyncDisposable {
  readonly baseUrl: string;
  readonly heard: readonly HeardRecording[];
}

/** A speech endpoint as OpenAI's: multipart in, `{"text"}` out. It answers every recording alike. */
export async function startSpeechServer(status: number, answer: string): Promise<SpeechServer> {
  const heard: HeardRecording[] = [];
  const http = createServer((request, response) => void serve(request, response));
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    heard.push(await readRecording(request));
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(answer);
  };
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`,
    heard,
    async [Symbol.asyncDispose]() {
      const closed = once(http, 'close');
      http.close();
      http.closeAllConnections();
      await closed;
    },
  };
}

async function readRecording(request: IncomingMessage): Promise<HeardRecording> {
  const body = Buffer.concat((await Array.fromAsync(request)) as Uint8Array[]);
  const headers = { 'content-type': request.headers['content-type'] ?? '' };
  const form = await new Response(body, { headers }).formData();
  const file = form.get('file') as File;
  return {
    path: request.url ?? '',
    authorization: request.headers.authorization,
    model: form.get('model') as string,
    name: file.name,
    mediaType: file.type,
    bytes: Buffer.from(await file.arrayBuffer()),
  };
}

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseJson } from '../../base/json.ts';
import type { Webhook, WebhookAnswer } from './webhook.ts';

export interface WebhookPlace {
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
  /** The only path that is answered. */
  readonly path: string;
}

export interface WebhookServer extends AsyncDisposable {
  readonly port: number;
}

const mostBytes = 1_000_000;
const mostConnections = 50;
const statuses: Readonly<Record<WebhookAnswer, number>> = {
  accepted: 200,
  malformed: 400,
  forbidden: 403,
  'not-listening': 503,
};

/** Listens for what Telegram brings. Meant to stand behind a proxy that speaks HTTPS to the world. */
export async function openWebhookServer(place: WebhookPlace, hook: Webhook): Promise<WebhookServer> {
  const { createServer } = process.getBuiltinModule('node:http');
  const server = createServer((request, response) => {
    // Whoever asked may be gone before all of it is read.
    serve(request, response, place, hook).catch(() => response.destroy());
  });
  server.maxConnections = mostConnections;
  server.listen(place.port, place.host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  { path }: WebhookPlace,
  hook: Webhook,
): Promise<void> {
  const secret = request.headers['x-telegram-bot-api-secret-token'];
  const isMeant = request.method === 'POST' && request.url === path;
  if (!isMeant) return end(response, 404);
  // Before anything is read: nobody else can make us hold anything.
  if (typeof secret !== 'string' || !hook.knows(secret)) return end(response, statuses.forbidden);
  const body = await readBody(request);
  if (body === undefined) return end(response, 413);
  end(response, statuses[await hook.handle(parseJson(body), secret)]);
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > mostBytes) return undefined;
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function end(response: ServerResponse, status: number): void {
  if (response.destroyed) return;
  // What was not read is not waited for.
  response.writeHead(status, status === 200 ? {} : { connection: 'close' }).end();
}

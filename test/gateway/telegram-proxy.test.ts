import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { says } from '../support/model-script.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import { anna } from '../support/telegram-server.ts';
import type { TelegramServer } from '../support/telegram-server.ts';

interface Proxy extends AsyncDisposable {
  readonly address: string;
  /** The hosts that it was asked for. */
  readonly hosts: ReadonlySet<string>;
}

/** A proxy behind which every host is the Bot API for tests. */
async function startProxy(server: Promise<TelegramServer>): Promise<Proxy> {
  const hosts = new Set<string>();
  const http = createServer((incoming, response) => {
    const url = new URL(incoming.url ?? '');
    hosts.add(url.host);
    void server.then(({ apiRoot }) => relay(`${apiRoot}${url.pathname}`, incoming, response));
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return {
    address: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    hosts,
    async [Symbol.asyncDispose]() {
      const closed = once(http, 'close');
      http.close();
      http.closeAllConnections();
      await closed;
    },
  };
}

function relay(url: string, incoming: IncomingMessage, response: ServerResponse): void {
  const { method = 'GET', headers } = incoming;
  const outgoing = request(url, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  response.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}

const bot = { allow: [anna.id], api_root: 'http://telegram.invalid' };

test('Telegram is reached by the proxy that the environment names', async () => {
  const server = Promise.withResolvers<TelegramServer>();
  await using proxy = await startProxy(server.promise);
  await using house = await openTelegramHouse({
    script: () => says('Hello, Anna.'),
    telegram: bot,
    env: { HTTP_PROXY: proxy.address },
  });
  server.resolve(house.telegram);

  house.telegram.say('hi');
  await house.telegram.whenShown(anna.id, (texts) => texts.includes('Hello, Anna.'));

  assert.deepEqual([...proxy.hosts], ['telegram.invalid']);
});

test('the proxy of the settings counts before that of the environment, and without its exceptions', async () => {
  const server = Promise.withResolvers<TelegramServer>();
  await using proxy = await startProxy(server.promise);
  await using house = await openTelegramHouse({
    script: () => says('Hello, Anna.'),
    telegram: { ...bot, proxy: proxy.address },
    env: { HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '*' },
  });
  server.resolve(house.telegram);

  house.telegram.say('hi');
  await house.telegram.whenShown(anna.id, (texts) => texts.includes('Hello, Anna.'));

  assert.deepEqual([...proxy.hosts], ['telegram.invalid']);
});

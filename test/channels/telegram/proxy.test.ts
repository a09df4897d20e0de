import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { IncomingFile } from '../../../src/channels/telegram/fetch-attachments.ts';
import { anna } from '../../support/telegram-server.ts';
import { nextText, openTelegram } from './bench.ts';

test('calls and downloads take the way that they are given', async () => {
  const proxied: string[] = [];
  const proxy = createServer((incoming, response) => relay(incoming, response, proxied));
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const proxyEnv = { http_proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
  const agent = new Agent({ proxyEnv });
  {
    await using bench = await openTelegram({ openAgent: () => Promise.resolve(agent), attachments });
    bench.server.files.set('id', Buffer.from('bytes'));
    bench.server.post({ document: { file_id: 'id', file_unique_id: 'u' } });

    const text = await nextText(bench.receive());
    await bench.send('hello');

    assert.match(text, /kept in bytes/);
    assert.equal(bench.server.shown(anna.id)[0]?.text, 'hello');
  }
  agent.destroy();
  proxy.closeAllConnections();
  proxy.close();
  const methods = proxied.map((url) => url.replace(/^.*\//, ''));
  assert.deepEqual(methods, ['getMe', 'deleteWebhook', 'getUpdates', 'getFile', 'id', 'sendMessage']);
});

test('a way that cannot be opened is said so, and tried again with the next message', async () => {
  let tries = 0;
  const openAgent = (): Promise<Agent> => {
    tries += 1;
    return tries === 1 ? Promise.reject(new Error('https_proxy is not an address')) : Promise.resolve(new Agent());
  };
  await using bench = await openTelegram({ openAgent });

  const receipts = [await bench.send('hello'), await bench.send('hello')];

  assert.deepEqual(receipts[0], { type: 'retry', afterMs: 5000, reason: 'https_proxy is not an address' });
  assert.equal(receipts[1]?.type, 'sent');
});

const attachments = { accepts: () => Promise.resolve(true), save: saveFile };

/** The first bytes of a file stand for where it is kept. */
async function saveFile(file: IncomingFile): Promise<string> {
  for await (const chunk of file.read()) return Buffer.from(chunk).toString();
  return '';
}

function relay(incoming: IncomingMessage, response: ServerResponse, proxied: string[]): void {
  const url = incoming.url ?? '';
  proxied.push(url);
  const outgoing = request(url, { method: incoming.method ?? 'GET', headers: incoming.headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  incoming.pipe(outgoing);
}

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Update } from 'grammy/types';
import { says, staysSilent } from '../support/model-script.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import type { TelegramHouse } from '../support/telegram-house.ts';
import { anna } from '../support/telegram-server.ts';
import { refuses } from '../support/telegram-server-faults.ts';
import { bring, bringAll, secretOf } from '../support/telegram-webhook.ts';

const url = 'https://bot.example.org/telegram/in';
const allow = [anna.id];

/** Where this house takes in what Telegram brings. */
async function placeOf({ reported }: TelegramHouse): Promise<string> {
  for (;;) {
    const [, place] = /taken in at (127\.0\.0\.1:\d+)\./.exec(reported.join('\n')) ?? [];
    if (place !== undefined) return `http://${place}/telegram/in`;
    await setImmediate();
  }
}

function openWith(webhook: { readonly url: string; readonly secret_env?: string }): Promise<TelegramHouse> {
  return openTelegramHouse({ script: [], telegram: { allow, webhook } });
}

function texts({ telegram }: TelegramHouse): readonly string[] {
  return telegram.shown(anna.id).map(({ text }) => text);
}

test('messages that Telegram brings to the webhook are answered, in order, and nothing is polled for', async () => {
  await using house = await openTelegramHouse({
    script: (_request, index) => says(`Answer ${index + 1}.`),
    telegram: { allow, webhook: { url, port: 0 } },
  });
  const place = await placeOf(house);

  for (const number of [1, 2]) {
    house.telegram.say(`question ${number}`);
    await bringAll(house.telegram, place);
    await house.telegram.whenShown(anna.id, (shown) => shown.at(-1) === `Answer ${number}.`);
  }

  assert.deepEqual(texts(house), ['Answer 1.', 'Answer 2.']);
  assert.equal(house.telegram.callsOf('setWebhook')[0]?.['url'], url);
  assert.deepEqual(house.telegram.callsOf('getUpdates'), []);
});

test('a message that is brought again is accepted, and not answered again, after a restart as well', async () => {
  await using house = await openTelegramHouse({
    script: () => says('Hello.'),
    telegram: { allow, webhook: { url, port: 0 } },
  });
  const place = await placeOf(house);
  house.telegram.say('hi');
  const [update = {}] = house.telegram.updates.pending;
  await bringAll(house.telegram, place);
  await house.telegram.whenShown(anna.id, (shown) => shown.includes('Hello.'));

  const again = await bring(place, update, secretOf(house.telegram));
  await house.close();
  house.reported.splice(0);
  await house.open();
  const elsewhere = await placeOf(house);
  house.telegram.updates.push(update as Update);
  await bringAll(house.telegram, elsewhere);
  await house.close();

  assert.equal(again, 200);
  assert.equal(house.model.requests.length, 1);
});

test('a stop that Telegram brings while a file is fetched does not wait for the file', async () => {
  await using house = await openTelegramHouse({
    script: [staysSilent(), says('Read.')],
    telegram: { allow, webhook: { url, port: 0 } },
  });
  const place = await placeOf(house);
  house.telegram.say('think');
  await bringAll(house.telegram, place);
  await house.model.whenRequested(1);
  const gate = Promise.withResolvers<void>();
  house.telegram.files.set('f', Buffer.from('milk'));
  house.telegram.fail('getFile', { type: 'waits', gate: gate.promise });
  house.telegram.post({ document: { file_id: 'f', file_unique_id: 'u', file_name: 'a.txt', file_size: 4 } });
  house.telegram.say('/stop');

  const bringing = house.telegram.updates.pending.map((update) => bring(place, update, secretOf(house.telegram)));
  await house.telegram.whenShown(anna.id, (shown) => shown.includes('Stopped.'));
  gate.resolve();
  const answers = await Promise.all(bringing);
  await house.telegram.whenShown(anna.id, (shown) => shown.at(-1) === 'Read.');

  assert.deepEqual(answers, [200, 200]);
  assert.equal(texts(house).filter((text) => /^Stopp|^Nothing is running/.test(text)).length, 1);
});

test('who does not know the secret, or the path, is turned away', async () => {
  await using house = await openTelegramHouse({
    script: () => says('Hello.'),
    telegram: { allow, webhook: { url, port: 0, secret_env: 'HOOK_SECRET' } },
    env: { HOOK_SECRET: 'a-long-secret' },
  });
  const place = await placeOf(house);
  house.telegram.say('hi');
  const [update = {}] = house.telegram.updates.pending;

  const answers = [
    await bring(place, update, undefined),
    await bring(place, update, 'a-long-secre'),
    await bring(`${place}/more`, update, 'a-long-secret'),
    await bring(place, { nonsense: true }, 'a-long-secret'),
    await bring(place, { text: 'x'.repeat(1_100_000) }, 'a-long-secret'),
  ];

  assert.deepEqual(answers, [403, 403, 404, 400, 413]);
  assert.equal(house.model.requests.length, 0);
});

test('of who does not know the secret no body is read, however long it is or slowly it comes', async () => {
  await using house = await openTelegramHouse({ script: [], telegram: { allow, webhook: { url, port: 0 } } });
  const { port, pathname } = new URL(await placeOf(house));
  const secret = { 'x-telegram-bot-api-secret-token': 'a guess' };
  const asked = request({ port, path: pathname, method: 'POST', headers: { ...secret, 'content-length': 900_000 } });

  // It begins to send, and never gets on.
  asked.write('{');
  const [{ statusCode }] = (await once(asked, 'response')) as [IncomingMessage];
  asked.destroy();

  assert.equal(statusCode, 403);
});

test('at its end the program tells Telegram not to come any more, and listens no longer', async () => {
  await using house = await openTelegramHouse({ script: [], telegram: { allow, webhook: { url, port: 0 } } });
  const place = await placeOf(house);

  await house.close();

  assert.equal(house.telegram.updates.webhook, '');
  assert.equal(await bring(place, {}, 'x'), undefined);
});

test('a webhook that Telegram refuses is said, and messages are asked for instead', async () => {
  await using house = await openTelegramHouse({ script: () => says('Hello.'), telegram: { allow } });
  await house.close();
  await house.configure({ allow, webhook: { url, port: 0 } });
  house.telegram.fail('setWebhook', refuses(400, 'Bad Request: bad webhook: Failed to resolve host'));

  await house.open();
  house.telegram.say('hi');
  await house.telegram.whenShown(anna.id, (shown) => shown.includes('Hello.'));

  assert.deepEqual(house.reported, [
    `Telegram will not bring messages to ${url} (Bad Request: bad webhook: Failed to resolve host): they are asked for instead.`,
  ]);
});

test('a port that is taken is said, and messages are asked for instead', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  try {
    await using house = await openTelegramHouse({
      script: () => says('Hello.'),
      telegram: { allow, webhook: { url, port } },
    });
    house.telegram.say('hi');
    await house.telegram.whenShown(anna.id, (shown) => shown.includes('Hello.'));

    assert.deepEqual(house.reported, [
      `messages cannot be taken in at 127.0.0.1:${port} (EADDRINUSE): they are asked for instead.`,
    ]);
    assert.deepEqual(house.telegram.callsOf('setWebhook'), []);
  } finally {
    other.close();
  }
});

test('a webhook without https, or without its secret, keeps the gateway from starting, with the reason', async () => {
  await assert.rejects(openWith({ url: 'http://bot.example.org' }), /telegram\.webhook\.url .* begins with https:\/\//);
  await assert.rejects(openWith({ url, secret_env: 'HOOK_SECRET' }), /no secret in HOOK_SECRET/);
});

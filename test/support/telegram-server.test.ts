import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { Api, GrammyError } from 'grammy';
import { anna, botToken, startTelegramServer } from './telegram-server.ts';
import type { TelegramServer } from './telegram-server.ts';
import { floods } from './telegram-server-faults.ts';

function connect({ apiRoot }: TelegramServer, token: string = botToken): Api {
  return new Api(token, { apiRoot });
}

async function refusalOf(call: Promise<unknown>): Promise<string> {
  const thrown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(thrown instanceof GrammyError);
  return `${thrown.error_code} ${thrown.description}`;
}

test('an update is kept until a higher offset is asked for', async () => {
  await using server = await startTelegramServer();
  const api = connect(server);
  for (const text of ['one', 'two']) server.say(text);

  const first = await api.getUpdates();
  const again = await api.getUpdates({ offset: first[0]?.update_id ?? 0 });
  const rest = await api.getUpdates({ offset: first[1]?.update_id ?? 0 });
  const none = await api.getUpdates({ offset: (first[1]?.update_id ?? 0) + 1 });

  assert.deepEqual([first.length, again.length, rest.length, none.length], [2, 2, 1, 0]);
  assert.deepEqual(again, first);
});

test('a long poll is answered as soon as there is an update', async () => {
  await using server = await startTelegramServer();
  const polling = connect(server).getUpdates({ timeout: 30 });
  await server.whenCalled('getUpdates');

  server.say('hello');

  assert.equal((await polling)[0]?.message?.text, 'hello');
});

test('a second poller ends the first, and a webhook keeps both away', async () => {
  await using server = await startTelegramServer();
  const api = connect(server);
  const first = refusalOf(api.getUpdates({ timeout: 30 }));
  await server.whenCalled('getUpdates');
  await api.getUpdates();
  await api.setWebhook('https://example.org');

  assert.match(await first, /^409 Conflict: terminated by other getUpdates request/);
  assert.match(await refusalOf(api.getUpdates()), /^409 Conflict: can't use getUpdates method while webhook is active/);
});

test('a wrong token is refused', async () => {
  await using server = await startTelegramServer();

  assert.equal(await refusalOf(connect(server, '1:wrong').getMe()), '401 Unauthorized');
});

test('messages are refused for the reasons that Telegram has', async () => {
  await using server = await startTelegramServer();
  const api = connect(server);
  const { message_id: id } = await api.sendMessage(anna.id, 'hello');
  const long = { inline_keyboard: [[{ text: 'a', callback_data: 'x'.repeat(65) }]] };
  const outside = [{ type: 'bold', offset: 3, length: 9 }] as const;
  const crossed = [
    { type: 'bold', offset: 0, length: 3 },
    { type: 'italic', offset: 2, length: 3 },
  ] as const;

  const reasons = [
    await refusalOf(api.sendMessage(1, 'hello')),
    await refusalOf(api.sendMessage(anna.id, ' ')),
    await refusalOf(api.sendMessage(anna.id, 'x'.repeat(4097))),
    await refusalOf(api.sendMessage(anna.id, 'hello', { reply_markup: long })),
    await refusalOf(api.sendMessage(anna.id, 'hello', { message_thread_id: 7 })),
    await refusalOf(api.sendMessage(anna.id, 'hello', { entities: [...outside] })),
    await refusalOf(api.sendMessage(anna.id, 'hello', { entities: [...crossed] })),
    await refusalOf(api.editMessageText(anna.id, id, 'hello')),
    await refusalOf(api.editMessageText(anna.id, id + 1, 'hello')),
    await refusalOf(api.deleteMessage(anna.id, id + 1)),
  ];

  assert.deepEqual(
    reasons.map((reason) => reason.replace('400 Bad Request: ', '').slice(0, 26)),
    [
      'chat not found',
      'message text is empty',
      'message is too long',
      'BUTTON_DATA_INVALID',
      'message thread not found',
      "can't parse entities: enti",
      "can't parse entities: bold",
      'message is not modified: s',
      'message to edit not found',
      'message to delete not foun',
    ],
  );
  assert.equal(server.shown(anna.id).length, 1);
});

test('a fault happens once, and then things go on', async () => {
  await using server = await startTelegramServer();
  const api = connect(server);
  server.fail('sendMessage', floods(3));

  const flood = await refusalOf(api.sendMessage(anna.id, 'hello'));
  await api.sendMessage(anna.id, 'hello');

  assert.equal(flood, '429 Too Many Requests: retry after 3');
  assert.equal(server.shown(anna.id).length, 1);
});

test('a file is handed out by the path that it was given', async () => {
  await using server = await startTelegramServer();
  server.files.set('one', Buffer.from('bytes'));

  const { file_path: path } = await connect(server).getFile('one');
  const [response] = (await once(get(`${server.apiRoot}/file/bot${botToken}/${path}`), 'response')) as [
    IncomingMessage,
  ];

  assert.equal(Buffer.concat(await response.toArray()).toString(), 'bytes');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { systemClock } from '../../../src/base/clock.ts';
import { anna } from '../../support/telegram-server.ts';
import { nextText, openTelegram } from './bench.ts';
import type { TelegramBench } from './bench.ts';

const webhook = { url: 'https://example.org/telegram', secret: 'a-long-secret' };

function update(id: number, text: string): object {
  const chat = { id: anna.id, type: 'private', first_name: 'Anna' };
  return { update_id: id, message: { message_id: id, date: 0, chat, from: anna, text } };
}

/** Opens a bot that is told of updates, and waits until it listens. */
async function openHook(): Promise<TelegramBench & { readonly received: ReturnType<TelegramBench['receive']> }> {
  const bench = await openTelegram({ webhook, clock: systemClock });
  const received = bench.receive();
  return { ...bench, received };
}

test('Telegram is told where to bring updates, with the secret, and over a few connections', async () => {
  await using bench = await openHook();
  const text = nextText(bench.received);

  const call = await bench.server.whenCalled('setWebhook');
  void handWhenListening(bench, update(1, 'hello'));

  assert.equal(await text, 'hello');
  assert.deepEqual(call, {
    url: webhook.url,
    secret_token: webhook.secret,
    allowed_updates: ['message', 'edited_message', 'callback_query'],
    max_connections: 4,
  });
  assert.deepEqual(bench.server.callsOf('getUpdates'), []);
});

test('an update is accepted only after it was dealt with', async () => {
  await using bench = await openHook();
  const text = nextText(bench.received);
  await bench.server.whenCalled('setWebhook');
  const answer = handWhenListening(bench, update(1, 'hello'));
  await text;
  const early = await Promise.race([answer, setImmediate('not yet')]);

  void bench.received.next();

  assert.equal(early, 'not yet');
  assert.equal(await answer, 'accepted');
});

test('an update that was dealt with is accepted when it is brought again, and goes no further', async () => {
  await using bench = await openHook();
  const text = nextText(bench.received);
  await bench.server.whenCalled('setWebhook');
  const first = handWhenListening(bench, update(1, 'hello'));
  await text;
  const second = nextText(bench.received);
  await first;

  const again = await bench.channel.handleUpdate(update(1, 'hello'), webhook.secret);
  void bench.channel.handleUpdate(update(2, 'next'), webhook.secret);

  assert.equal(again, 'accepted');
  assert.equal(await second, 'next');
});

test('of updates that are brought at once the older one comes first', async () => {
  await using bench = await openHook();
  const first = nextText(bench.received);
  await bench.server.whenCalled('setWebhook');
  void handWhenListening(bench, update(3, 'third'));
  void handWhenListening(bench, update(2, 'second'));
  void handWhenListening(bench, update(1, 'first'));

  assert.deepEqual(
    [await first, await nextText(bench.received), await nextText(bench.received)],
    ['first', 'second', 'third'],
  );
});

test('an update is not accepted while nobody listens, so that Telegram brings it again', async () => {
  await using bench = await openTelegram({ webhook });

  assert.equal(await bench.channel.handleUpdate(update(1, 'hello'), webhook.secret), 'not-listening');
});

test('an update that the program ended over is not accepted', async () => {
  await using bench = await openHook();
  const first = nextText(bench.received);
  void handWhenListening(bench, update(1, 'hello'));
  await first;
  const second = nextText(bench.received);
  const answer = bench.channel.handleUpdate(update(2, 'and then'), webhook.secret);
  await second;

  await bench.received.return?.();

  assert.equal(await answer, 'not-listening');
});

test('who does not know the secret is turned away', async () => {
  await using bench = await openHook();
  void bench.received.next();
  await bench.server.whenCalled('setWebhook');

  for (const secret of [undefined, '', 'a-long-secre', 'a-long-secret ', 'another secret']) {
    assert.equal(await bench.channel.handleUpdate(update(1, 'hello'), secret), 'forbidden');
  }
});

test('what is no update is turned away', async () => {
  await using bench = await openTelegram({ webhook });

  for (const body of [undefined, 'text', [], {}, { update_id: 'one' }]) {
    assert.equal(await bench.channel.handleUpdate(body, webhook.secret), 'malformed');
  }
});

test('a bot without a webhook takes no updates from outside', async () => {
  await using bench = await openTelegram();

  assert.equal(await bench.channel.handleUpdate(update(1, 'hello'), webhook.secret), 'not-listening');
});

/** As Telegram does it: again, until someone listens. */
async function handWhenListening(bench: TelegramBench, body: object): Promise<string> {
  for (;;) {
    const answer = await bench.channel.handleUpdate(body, webhook.secret);
    if (answer !== 'not-listening') return answer;
    await setImmediate();
  }
}

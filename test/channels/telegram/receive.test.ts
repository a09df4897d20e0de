import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Update } from 'grammy/types';
import type { Inbound } from '../../../src/model/channel.ts';
import { anna, botToken } from '../../support/telegram-server.ts';
import {
  badGateway,
  dropsAfter,
  dropsBefore,
  floods,
  internalError,
  refuses,
} from '../../support/telegram-server-faults.ts';
import { next, nextText, openTelegram, privateChat } from './bench.ts';

test('a private message arrives with its key, its address and the person by an id that nobody can choose', async () => {
  await using bench = await openTelegram();
  const said = bench.server.say('hello');

  const inbound = await next(bench.receive());

  assert.deepEqual(inbound, {
    type: 'message',
    key: {
      platform: 'telegram',
      account: privateChat.account,
      chat: String(anna.id),
      messageId: String(said.message_id),
      revision: 0,
    },
    address: privateChat,
    person: 'telegram:42',
    name: 'Anna @anna',
    parts: [{ type: 'text', text: 'hello' }],
    answeredBy: 'reply-if-it-waited',
    workdir: '/',
  } satisfies Record<keyof Omit<Extract<Inbound, { type: 'message' }>, 'images' | 'album' | 'commands'>, unknown>);
});

test('Telegram is told that a message was dealt with only after the next one was asked for', async () => {
  await using bench = await openTelegram();
  const { server } = bench;
  const received = bench.receive();
  server.say('one');
  await nextText(received);

  const pendingBefore = server.updates.pending.length;
  const pollsBefore = server.callsOf('getUpdates').length;
  const second = received.next();
  await server.whenCalled('getUpdates', pollsBefore + 1);

  assert.equal(pendingBefore, 1);
  assert.deepEqual(server.updates.pending, []);
  server.say('two');
  await second;
});

test('what the program died over comes again, with what it had not confirmed, under the same keys', async () => {
  await using bench = await openTelegram();
  const { server } = bench;
  for (const text of ['one', 'two', 'three']) server.say(text);
  const first = bench.receive();
  await next(first);
  const lost = await next(first);

  // The first life asks for nothing more and confirms nothing more, as if it were dead.
  const second = bench.restart().receive(new AbortController().signal)[Symbol.asyncIterator]();
  const again = [await next(second), await next(second), await next(second)];

  assert.deepEqual(again[1], lost);
  assert.deepEqual(
    again.map((inbound) => inbound.type === 'message' && inbound.parts),
    ['one', 'two', 'three'].map((text) => [{ type: 'text', text }]),
  );
});

test('an orderly end tells Telegram what was dealt with, and no more than that', async () => {
  await using bench = await openTelegram();
  const { server, channel } = bench;
  for (const text of ['one', 'two', 'three']) server.say(text);
  const seen: string[] = [];

  for await (const inbound of channel.receive(new AbortController().signal)) {
    seen.push(inbound.type === 'message' && inbound.parts[0]?.type === 'text' ? inbound.parts[0].text : '');
    if (seen.length === 2) break;
  }

  assert.deepEqual(seen, ['one', 'two']);
  assert.deepEqual(
    server.updates.pending.map(({ message }) => message?.text),
    ['two', 'three'],
  );
});

test('an abort ends the receiving at once, with nothing thrown', async () => {
  await using bench = await openTelegram();
  const stopping = new AbortController();
  const received = bench.channel.receive(stopping.signal)[Symbol.asyncIterator]();
  const pending = received.next();
  await bench.server.whenCalled('getUpdates');

  stopping.abort();

  assert.deepEqual(await pending, { done: true, value: undefined });
});

test('messages that were sent while the program was off are not dropped', async () => {
  await using bench = await openTelegram();
  bench.server.say('while you were away');
  bench.server.updates.webhook = 'https://left.over/hook';

  assert.equal(await nextText(bench.receive()), 'while you were away');
  assert.deepEqual(bench.server.callsOf('deleteWebhook'), [{}]);
});

test('an update that Telegram delivers twice is handed on once', async () => {
  await using bench = await openTelegram();
  bench.server.updates.order = 'doubled';
  bench.server.say('one');
  bench.server.say('two');
  const received = bench.receive();

  const texts = [await nextText(received), await nextText(received)];
  bench.server.say('three');

  assert.deepEqual([...texts, await nextText(received)], ['one', 'two', 'three']);
});

test('updates that arrive out of order are put in order', async () => {
  await using bench = await openTelegram();
  bench.server.updates.order = 'reversed';
  for (const text of ['one', 'two', 'three']) bench.server.say(text);
  const received = bench.receive();

  assert.deepEqual(
    [await nextText(received), await nextText(received), await nextText(received)],
    ['one', 'two', 'three'],
  );
});

test('an update that makes no sense is left out and holds up nothing', async () => {
  await using bench = await openTelegram();
  bench.server.push({ message: { message_id: 1, text: 'no chat' } } as unknown as Omit<Update, 'update_id'>);
  bench.server.push({ poll: {} } as unknown as Omit<Update, 'update_id'>);
  bench.server.say('still here');

  assert.equal(await nextText(bench.receive()), 'still here');
  assert.match(bench.log.join('\n'), /an update of Telegram was left out/);
});

for (const [name, fault] of Object.entries({ internalError, badGateway, dropsBefore, dropsAfter })) {
  test(`polling goes on after a pause when it fails (${name}), and loses nothing`, async () => {
    await using bench = await openTelegram();
    bench.server.fail('getUpdates', fault, fault);
    bench.server.say('hello');
    const text = nextText(bench.receive());

    await bench.whenAsleepFor(1000);
    bench.clock.advance(1000);
    await bench.whenAsleepFor(2000);
    bench.clock.advance(2000);

    assert.equal(await text, 'hello');
    assert.equal(bench.log.filter((line) => line.includes('cannot be asked')).length, 1);
  });
}

test('polling waits as long as Telegram asks it to', async () => {
  await using bench = await openTelegram();
  bench.server.fail('getUpdates', floods(17));
  bench.server.say('hello');
  const text = nextText(bench.receive());

  await bench.whenAsleepFor(17_000);
  bench.clock.advance(17_000);

  assert.equal(await text, 'hello');
});

test('a second poller with the same token is named in the log, and both go on', async () => {
  await using bench = await openTelegram();
  const text = nextText(bench.receive());
  await bench.server.whenCalled('getUpdates');

  const stopping = new AbortController();
  const other = bench.restart().receive(stopping.signal)[Symbol.asyncIterator]();
  const otherText = other.next();
  await bench.whenAsleepFor(20_000);
  stopping.abort();
  await otherText;
  bench.server.say('hello');
  bench.clock.advance(20_000);

  assert.equal(await text, 'hello');
  assert.match(bench.log.join('\n'), /only one bot instance/);
});

test('whoever runs the program is told with the second conflict, and once, that another one takes messages of the bot', async () => {
  const reported: string[] = [];
  const conflict = refuses(409, 'Conflict: terminated by other getUpdates request');
  await using bench = await openTelegram({ report: (line) => void reported.push(line) });
  const received = bench.receive();

  const counts: number[] = [];
  for (const [index, said] of ['one', 'two', 'three'].entries()) {
    bench.server.fail('getUpdates', conflict);
    bench.server.say(said);
    const text = nextText(received);
    await bench.whenAsleepFor(20_000, index + 1);
    bench.clock.advance(20_000);
    assert.equal(await text, said);
    counts.push(reported.length);
  }

  assert.deepEqual(counts, [0, 1, 1]);
  assert.match(reported[0] ?? '', /^telegram: another program takes the messages of this bot, too/);
});

test('a token that Telegram refuses ends the receiving with what to do about it', async () => {
  await using bench = await openTelegram();
  bench.server.revokeToken();

  await assert.rejects(bench.receive().next(), (thrown: Error) => {
    assert.match(thrown.message, /does not accept the bot token; ask @BotFather/);
    assert.ok(!String(thrown.stack).includes(botToken));
    return true;
  });
});

const commands = [
  { name: 'help', description: 'lists the commands' },
  { name: 'not-allowed', description: 'has a dash' },
];

test('the menu of commands is set from the list, without the names that Telegram would refuse', async () => {
  await using bench = await openTelegram({ commands });
  bench.server.say('hello');
  await nextText(bench.receive());

  assert.deepEqual(bench.server.callsOf('setMyCommands'), [
    { commands: [{ command: 'help', description: 'lists the commands' }] },
  ]);
});

test('a menu that cannot be set is noted, and messages arrive all the same', async () => {
  await using bench = await openTelegram({ commands });
  bench.server.fail('setMyCommands', internalError);
  bench.server.say('hello');

  assert.equal(await nextText(bench.receive()), 'hello');
  assert.match(bench.log.join('\n'), /menu was not set/);
});

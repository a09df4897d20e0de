import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { createTelegramChannel } from '../../../src/channels/telegram/telegram-channel.ts';
import { checkTelegramToken } from '../../../src/channels/telegram/check-token.ts';
import { silentLog } from '../../../src/base/log.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { anna, botToken, botUser, startTelegramServer } from '../../support/telegram-server.ts';
import { badGateway, dropsAfter, dropsBefore, internalError, refuses } from '../../support/telegram-server-faults.ts';
import { nextText, openTelegram, privateChat } from './bench.ts';

const clock = new ManualClock();
const signal = new AbortController().signal;

test('a token that is pasted is checked and says whose it is', async () => {
  await using server = await startTelegramServer();

  const check = await checkTelegramToken({ token: ` ${botToken}\n`, apiRoot: server.apiRoot, clock }, signal);

  assert.deepEqual(check, { type: 'valid', id: String(botUser.id), username: 'talaria_bot', name: 'Talaria' });
});

test('a token that is none, or no longer one, is told so in words', async () => {
  await using server = await startTelegramServer();
  const { apiRoot } = server;
  const revoked = botToken.replace('test', 'rest');

  const checks = [
    await checkTelegramToken({ token: 'hello', apiRoot, clock }, signal),
    await checkTelegramToken({ token: revoked, apiRoot, clock }, signal),
  ];

  assert.deepEqual(checks, [
    { type: 'invalid', problem: 'the Telegram token is not one: @BotFather gives tokens like 123456789:AAH…' },
    { type: 'invalid', problem: 'Telegram does not accept the bot token; ask @BotFather for the current one' },
  ]);
});

test('a token that cannot be checked is not called wrong', async () => {
  const apiRoot = 'http://127.0.0.1:9';

  const check = await checkTelegramToken({ token: botToken, apiRoot, clock }, signal);

  assert.equal(check.type, 'unreachable');
});

test('a channel is not opened with what cannot be a token', () => {
  assert.throws(
    () => createTelegramChannel({ token: 'hello', workdir: '/', clock, log: silentLog }),
    (thrown: Error) => thrown.message.includes('@BotFather') && !thrown.message.includes('hello'),
  );
});

const faults = [dropsBefore, dropsAfter, badGateway, internalError, refuses(400, `Bad Request: bot${botToken} failed`)];

function assertNoToken(said: unknown): void {
  const text = inspect(said, { depth: 10 });
  assert.ok(!text.includes(botToken.split(':')[1] ?? ''), text);
}

test('the token stands in no receipt, whatever goes wrong', async () => {
  await using bench = await openTelegram();
  bench.server.fail('sendMessage', ...faults);

  const receipts = [];
  for (const _ of faults) receipts.push(await bench.send('hello'));

  assert.ok(receipts.every(({ type }) => type !== 'sent'));
  assertNoToken(receipts);
});

test('the token stands in no line of the log, whatever goes wrong', async () => {
  for (const fault of faults) {
    await using bench = await openTelegram();
    bench.server.fail('getUpdates', fault);
    bench.server.say('hello');

    const text = nextText(bench.receive());
    await bench.whenAsleepFor(1000);
    bench.clock.advance(1000);

    assert.equal(await text, 'hello');
    assert.match(bench.log[0] ?? '', /cannot be asked/);
    assertNoToken(bench.log);
  }
});

test('the token is taken out of what is sent, shown or asked', async () => {
  await using bench = await openTelegram();
  const leak = `the token is ${botToken}`;

  await bench.channel.preview({ type: 'working', address: privateChat, text: leak, status: leak }, signal);
  await bench.send(leak, { kind: 'notice' });
  await bench.send(leak, { kind: 'question', digest: 'digest' });

  const seen = inspect(bench.server.calls, { depth: 10 });
  assert.equal(bench.server.shown(anna.id).length, 3);
  assert.ok(!seen.includes(botToken), seen);
});

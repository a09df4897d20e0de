import assert from 'node:assert/strict';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { JsonObject } from '../../src/base/json.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { says, stallsAfter } from '../support/model-script.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import type { TelegramHouse } from '../support/telegram-house.ts';
import { anna, botToken } from '../support/telegram-server.ts';
import { bringAll } from '../support/telegram-webhook.ts';

interface Bot {
  readonly house: TelegramHouse;
  readonly clock: ManualClock;
}

const script = (): ReturnType<typeof says> => says('Hello.');

async function openBot(telegram: JsonObject = {}): Promise<Bot> {
  const clock = new ManualClock(Date.now());
  const env = { TELEGRAM_BOT_TOKEN: '' };
  const envFile = `TELEGRAM_BOT_TOKEN=${botToken}\n`;
  const settings = { allow: [anna.id], ...telegram };
  return { house: await openTelegramHouse({ script, clock, env, envFile, telegram: settings }), clock };
}

async function keepToken({ home }: TelegramHouse, token: string): Promise<void> {
  await writeFile(join(home, '.env'), `TELEGRAM_BOT_TOKEN=${token}\n`);
}

/** Lets time pass until it is so. */
async function pass(clock: ManualClock, isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    clock.advance(100);
    await nextTick();
  }
}

function countShown({ telegram }: TelegramHouse): number {
  return telegram.shown(anna.id).length;
}

test('a new token of the bot is taken up while the gateway runs: what came and went meanwhile arrives once', async () => {
  const { house, clock } = await openBot();
  await using _house = house;
  house.telegram.say('one');
  await house.telegram.whenShown(anna.id, ({ length }) => length === 1);

  const token = house.telegram.rotateToken();
  house.telegram.say('two');
  await pass(clock, () => house.reported.length > 0);
  house.telegram.say('three');
  await keepToken(house, token);
  await pass(clock, () => countShown(house) === 3);
  house.telegram.say('four');
  await pass(clock, () => countShown(house) === 4);
  await house.close();

  const [told = '', ...others] = house.reported;
  assert.match(told, /does not accept the bot token.* taken up at once: talaria gateway setup$/);
  assert.deepEqual(others, []);
  assert.equal(house.model.requests.length, 4);
  const logs = join(house.home, 'logs');
  const log = (await Promise.all((await readdir(logs)).map((name) => readFile(join(logs, name), 'utf8')))).join('');
  assert.match(log, /has a new token/);
  assert.ok(!log.includes(token) && !log.includes(botToken));
});

test('the token of another bot is said to count from the next start on, once, and the bot at hand goes on', async () => {
  const { house, clock } = await openBot();
  await using _house = house;

  await keepToken(house, `999${botToken}`);
  await pass(clock, () => house.reported.length > 0);
  clock.advance(20_000);
  house.telegram.say('one');
  await pass(clock, () => countShown(house) === 1);

  assert.equal(house.reported.length, 1);
  assert.match(house.reported[0] ?? '', /not of the bot that is served.* next start on: talaria gateway restart$/);
});

const besideThePage = { web: { port: 0 } };

test('a token that was wrong from the start is waited out beside the page, and so is one that is none', async () => {
  const clock = new ManualClock(Date.now());
  const envFile = `TELEGRAM_BOT_TOKEN=999:AAF-of_some_other_bot-ABCDEFGHIJK\n`;
  const env = { TELEGRAM_BOT_TOKEN: '' };
  await using house = await openTelegramHouse({ script, clock, env, envFile, settings: besideThePage });
  await pass(clock, () => house.reported.length === 1);
  const refused = house.gateway.channelStates();

  await keepToken(house, 'hello');
  await pass(clock, () => house.reported.length === 2);
  await keepToken(house, botToken);
  house.telegram.say('one');
  await pass(clock, () => countShown(house) === 1);

  const [first = '', second = ''] = house.reported;
  assert.match(first, /^telegram: Telegram does not accept the bot token.* taken up at once: talaria gateway setup$/);
  assert.match(second, /^telegram: the Telegram token is not one/);
  assert.partialDeepStrictEqual(refused, [{ name: 'telegram', type: 'not-served' }, { name: 'webchat' }]);
  assert.deepEqual(house.gateway.channelStates(), [
    { name: 'telegram', type: 'served' },
    { name: 'webchat', type: 'served' },
  ]);
});

test('a gateway that began without a bot takes up the first one, whose link makes the owner', async () => {
  const clock = new ManualClock(Date.now());
  const env = { TELEGRAM_BOT_TOKEN: '' };
  await using house = await openTelegramHouse({ script, clock, env, telegram: {}, settings: besideThePage });
  const before = house.gateway.channelStates();

  await keepToken(house, botToken);
  house.telegram.say(`/start ${await house.ask({ type: 'invite-owner' })}`);
  await pass(clock, () => countShown(house) === 1);
  house.telegram.say('hello');
  await pass(clock, () => countShown(house) === 2);

  assert.deepEqual(before, [{ name: 'webchat', type: 'served' }]);
  assert.match(house.telegram.shown(anna.id)[0]?.text ?? '', /you are its owner/);
  assert.equal(house.telegram.shown(anna.id)[1]?.text, 'Hello.');
});

/** Where the house took in last what Telegram brings, once it does so for the given time. */
async function placeOf({ reported }: TelegramHouse, clock: ManualClock, time: number): Promise<string> {
  const places = (): readonly string[] => reported.join('\n').match(/127\.0\.0\.1:\d+(?=\.)/g) ?? [];
  await pass(clock, () => places().length >= time);
  return `http://${places().at(-1) ?? ''}/in`;
}

test('where Telegram brings the messages, a new token is taken up though nobody refused the old one', async () => {
  const { house, clock } = await openBot({ webhook: { url: 'https://bot.example.org/in', port: 0 } });
  await using _house = house;
  const before = await placeOf(house, clock, 1);
  house.telegram.say('one');
  const first = bringAll(house.telegram, before);
  await pass(clock, () => countShown(house) === 1);
  await first;

  await keepToken(house, house.telegram.rotateToken());
  const after = await placeOf(house, clock, 2);
  house.telegram.say('two');
  const second = bringAll(house.telegram, after);
  await pass(clock, () => countShown(house) === 2);
  await second;

  assert.equal(house.telegram.callsOf('setWebhook').length, 2);
  assert.deepEqual(
    house.reported.filter((line) => /does not accept|not of the bot/.test(line)),
    [],
  );
  assert.equal(house.model.requests.length, 2);
});

test('a bot that is taken up while the gateway runs goes on with what an earlier run left in its chats', async () => {
  const clock = new ManualClock(Date.now());
  const env = { TELEGRAM_BOT_TOKEN: '' };
  const envFile = `TELEGRAM_BOT_TOKEN=${botToken}\n`;
  const answers = [stallsAfter(0, says('lost')), says('Here again.')];
  await using house = await openTelegramHouse({ script: answers, clock, env, envFile, settings: besideThePage });
  house.telegram.say('begin');
  await house.model.whenRequested(1);
  await house.close();
  await writeFile(join(house.home, '.env'), '');
  await house.open();

  await keepToken(house, botToken);
  await pass(clock, () => countShown(house) === 1);

  assert.deepEqual(
    house.telegram.shown(anna.id).map(({ text }) => text),
    ['Here again.'],
  );
});

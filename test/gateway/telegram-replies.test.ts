import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callsTool, delays, says } from '../support/model-script.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import type { TelegramHouse } from '../support/telegram-house.ts';
import { floods } from '../support/telegram-server-faults.ts';
import { anna, ben } from '../support/telegram-server.ts';

const group = { id: -100_500, type: 'supergroup', title: 'Team' } as const;
const access = { allow: [anna.id, ben.id], groups: 'all' };

/** What each of the bot's messages in a chat is a reply to, by its first line. */
function repliesIn({ telegram }: TelegramHouse, chat: number): ReadonlyMap<string, number | undefined> {
  return new Map(telegram.shown(chat).map(({ text, repliesTo }) => [text.split('\n')[0] ?? '', repliesTo]));
}

test('in a group each question, answer and word about a command is a reply to the message that it belongs to', async () => {
  const touch = callsTool('terminal', { command: 'touch made' });
  const ask = callsTool('clarify', { question: 'Which colour?', choices: [] });
  await using house = await openTelegramHouse({
    script: [touch, says('Not made.'), says('Hello Ben.'), ask, says('Red it is.')],
    telegram: access,
  });
  const { telegram } = house;

  const make = telegram.say('make a file', { chat: group });
  await telegram.whenShown(group.id, (texts) => texts.some((text) => text.startsWith('This needs')));
  const deny = telegram.say('/deny', { chat: group, entities: [{ type: 'bot_command', offset: 0, length: 5 }] });
  await telegram.whenShown(group.id, (texts) => texts.includes('Not made.'));
  const hello = telegram.say('hello', { chat: group, from: ben });
  await telegram.whenShown(group.id, (texts) => texts.includes('Hello Ben.'));
  const inTopic = { chat: group, message_thread_id: 7, is_topic_message: true } as const;
  const paint = telegram.say('paint it', inTopic);
  await telegram.whenShown(group.id, (texts) => texts.some((text) => text.startsWith('Which colour?')));
  telegram.say('red', inTopic);
  await telegram.whenShown(group.id, (texts) => texts.includes('Red it is.'));

  const replies = repliesIn(house, group.id);
  assert.equal(replies.get('This needs your consent:'), make.message_id);
  assert.equal(replies.get('Not made.'), make.message_id);
  assert.equal(replies.get('Hello Ben.'), hello.message_id);
  assert.equal(replies.get('Which colour?'), paint.message_id);
  assert.equal(replies.get('Red it is.'), paint.message_id);
  assert.ok([...replies.values()].includes(deny.message_id));
  assert.doesNotMatch(house.model.requests.map(({ body }) => body).join('\n'), /messageId|replyTo|"place"/);
});

test('in a private chat only the answer to what had waited is a reply', async () => {
  const open = Promise.withResolvers<void>();
  await using house = await openTelegramHouse({
    script: [delays(open.promise, says('First.')), says('Second.'), says('Third.')],
  });
  const { telegram } = house;

  telegram.say('one');
  await house.model.whenRequested(1);
  const second = telegram.say('/queue two');
  await telegram.whenShown(anna.id, (texts) => texts.some((text) => text.startsWith('Waits:')));
  open.resolve();
  await telegram.whenShown(anna.id, (texts) => texts.includes('Second.'));
  telegram.say('three');
  await telegram.whenShown(anna.id, (texts) => texts.includes('Third.'));

  assert.deepEqual(
    [...repliesIn(house, anna.id)],
    [
      ['Waits: 1 turn is before it.', undefined],
      ['First.', undefined],
      ['Second.', second.message_id],
      ['Third.', undefined],
    ],
  );
});

test('an answer that another run of the program sends is a reply to the same message', async () => {
  await using house = await openTelegramHouse({ script: [says('Late.')], telegram: access });
  const { telegram } = house;
  telegram.fail('sendMessage', floods(1));

  const { message_id: id } = telegram.say('hello', { chat: group });
  await telegram.whenCalled('sendMessage');
  await house.close();
  await house.open();
  await telegram.whenShown(group.id, (texts) => texts.includes('Late.'));

  assert.deepEqual([...repliesIn(house, group.id)], [['Late.', id]]);
});

test('an answer that was whole when something was added to its turn is a reply to what it answers, as the last one is', async () => {
  const whole = Promise.withResolvers<void>();
  await using house = await openTelegramHouse({
    script: [delays(whole.promise, says('Beans need sun.')), says('You are welcome.')],
    telegram: access,
  });
  const { telegram } = house;

  const { message_id: id } = telegram.say('how do beans grow?', { chat: group });
  await house.model.whenRequested(1);
  const { message_id: thanks } = telegram.say('thanks', { chat: group });
  await telegram.whenShown(group.id, (texts) => texts.some((text) => text.startsWith('Noted')));
  whole.resolve();
  await telegram.whenShown(group.id, (texts) => texts.includes('You are welcome.'));

  const shown = telegram.shown(group.id).map(({ repliesTo }) => repliesTo);
  assert.deepEqual(shown, [thanks, id, id]);
});

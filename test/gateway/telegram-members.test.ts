import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { User } from 'grammy/types';
import type { Json } from '../../src/base/json.ts';
import { callsTool, says } from '../support/model-script.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import type { TelegramHouse } from '../support/telegram-house.ts';
import { anna, ben } from '../support/telegram-server.ts';
import type { MessageFields } from '../support/telegram-server.ts';

const group = { id: -100_500, type: 'supergroup', title: 'Team' } as const;
const inGroup = { chat: group };
const inTopic = { chat: group, message_thread_id: 7, is_topic_message: true } as const;
const access = { allow: [anna.id, ben.id], groups: 'all' };

/** Every message is answered with its number. */
const counting = (_: unknown, index: number): ReturnType<typeof says> => says(`Answer ${index + 1}.`);

/** Says something in the group, and returns the messages that the model was asked with. */
async function say(house: TelegramHouse, from: User, text: string, fields: MessageFields = inGroup): Promise<Asked> {
  const before = house.model.requests.length;
  house.telegram.say(text, { ...fields, from });
  await house.telegram.whenShown(group.id, (texts) => texts.includes(`Answer ${before + 1}.`));
  const request = house.model.requests.at(-1)?.json;
  return (request?.['messages'] ?? []) as Asked;
}

type Asked = readonly Json[];

function command({ telegram }: TelegramHouse, from: User, text: string, where: MessageFields = inGroup): void {
  const length = text.includes(' ') ? text.indexOf(' ') : text.length;
  telegram.say(text, { ...where, from, entities: [{ type: 'bot_command', offset: 0, length }] });
}

async function whoseSessions({ app }: TelegramHouse): Promise<readonly string[]> {
  const sessions = await app.store.sessions.list({ limit: 9 });
  return sessions.map(({ address: { thread, member } }) => `${thread}/${member ?? ''}`).toSorted();
}

test('two members of a group talk to it in sessions of their own, each of which only grows, and a new one is for one of them', async () => {
  await using house = await openTelegramHouse({ script: counting, telegram: access });

  const first = await say(house, anna, 'my colour is red');
  const bens = await say(house, ben, 'my colour is blue');
  const second = await say(house, anna, 'and now');
  command(house, ben, '/new');
  await house.telegram.whenShown(group.id, (texts) => texts.length === 4);
  const bensNew = await say(house, ben, 'who am I');
  const third = await say(house, anna, 'still here');
  const bensNext = await say(house, ben, 'go on');

  assert.deepEqual(second.slice(0, first.length), first);
  assert.deepEqual(third.slice(0, second.length), second);
  assert.deepEqual(bensNext.slice(0, bensNew.length), bensNew);
  assert.doesNotMatch(JSON.stringify([bens, bensNew, bensNext]), /red/);
  assert.doesNotMatch(JSON.stringify(third), /blue/);
  assert.equal(bens.length, first.length);
  assert.equal(bensNew.length, first.length);
  assert.deepEqual(await whoseSessions(house), ['/telegram:42', '/telegram:43', '/telegram:43']);
});

test('a topic is one conversation, and the settings can have it the other way round', async () => {
  await using house = await openTelegramHouse({ script: counting, telegram: access });

  await say(house, anna, 'hello', inTopic);
  const joined = await say(house, ben, 'me too', inTopic);
  const shared = await whoseSessions(house);
  await house.close();
  await house.configure(access, { group_sessions_per_user: false, thread_sessions_per_user: true });
  await house.open();
  await say(house, anna, 'alone', inTopic);
  await say(house, ben, 'alone, too', inTopic);
  await say(house, anna, 'together');
  const together = await say(house, ben, 'with you');

  assert.match(JSON.stringify(joined), /Anna: hello.*Ben: me too/);
  assert.deepEqual(shared, ['7/']);
  assert.match(JSON.stringify(together), /Anna: together.*Ben: with you/);
  assert.deepEqual(await whoseSessions(house), ['/', '7/', '7/telegram:42', '7/telegram:43']);
});

test('what one member of a group is asked, another can neither allow nor deny', async () => {
  const touch = callsTool('terminal', { command: 'touch made' });
  // Beside the page, as most are served.
  const settings = { web: { port: 0 } };
  await using house = await openTelegramHouse({ script: [touch, says('Done.')], telegram: access, settings });
  const { telegram } = house;
  telegram.say('make a file', inGroup);
  await telegram.whenShown(group.id, () => buttonsIn(house).length > 0);

  const buttons = buttonsIn(house);
  for (const data of buttons) telegram.press(data, { ...inGroup, from: ben });
  await telegram.whenCalled('answerCallbackQuery', buttons.length);
  command(house, ben, '/approve');
  command(house, ben, '/deny');
  command(house, ben, '/yolo on');
  await telegram.whenShown(group.id, (texts) => texts.some((text) => text.startsWith('From now on nothing')));
  const openBefore = buttonsIn(house).length;
  command(house, anna, '/deny');
  await telegram.whenShown(group.id, (texts) => texts.includes('Done.'));
  telegram.press(buttons[0] ?? '', inGroup);
  await telegram.whenCalled('answerCallbackQuery', buttons.length + 1);

  assert.ok(openBefore > 0);
  const words = new Set(telegram.callsOf('answerCallbackQuery').map(({ text }) => text));
  assert.deepEqual(
    [...words],
    ['This is not for you to answer.', 'This was answered already, or is not asked any more.'],
  );
  assert.deepEqual(await answersIn(house), [['telegram:42', 'denied']]);
  const told = telegram.shown(group.id).filter(({ text }) => text === 'Nothing is asked here.');
  assert.equal(told.length, 2);
});

test('where a conversation is shared, whoever asked or an owner allows what it wants to do, and anyone denies it', async () => {
  const touch = callsTool('terminal', { command: 'touch made' });
  const script = [touch, says('First.'), touch, says('Second.'), touch, says('Third.')];
  await using house = await openTelegramHouse({ script, telegram: { allow: [anna.id], groups: 'all' } });
  const { telegram } = house;
  await letBenIn(house);
  const ask = async (from: User): Promise<void> => {
    telegram.say('make a file', { ...inTopic, from });
    await telegram.whenShown(group.id, () => buttonsIn(house).length > 0);
  };

  await ask(anna);
  telegram.press(buttonsIn(house)[0] ?? '', { ...inTopic, from: ben });
  command(house, ben, '/approve', inTopic);
  await telegram.whenShown(group.id, (texts) => texts.some((text) => text.startsWith('Only an owner')));
  command(house, ben, '/deny', inTopic);
  await telegram.whenShown(group.id, (texts) => texts.includes('First.') && buttonsIn(house).length === 0);
  await ask(ben);
  command(house, ben, '/approve', inTopic);
  await telegram.whenShown(group.id, (texts) => texts.includes('Second.') && buttonsIn(house).length === 0);
  await ask(ben);
  telegram.press(buttonsIn(house)[0] ?? '', inTopic);
  await telegram.whenShown(group.id, (texts) => texts.includes('Third.'));

  assert.deepEqual(await answersIn(house), [
    ['telegram:43', 'denied'],
    ['telegram:43', 'approved'],
    ['telegram:42', 'approved'],
  ]);
});

test('where a conversation is shared, whoever has no access can neither deny what is asked there nor answer it', async () => {
  const script = [
    callsTool('terminal', { command: 'touch made' }),
    callsTool('clarify', { question: 'Which colour?', choices: ['red', 'blue'] }),
    says('Painted.'),
  ];
  await using house = await openTelegramHouse({ script, telegram: { allow: [anna.id], groups: 'all' } });
  const { telegram } = house;
  const whenAsked = async (text: string): Promise<readonly string[]> => {
    let found: readonly string[] = [];
    await telegram.whenShown(group.id, () => {
      const shown = telegram.shown(group.id).filter((message) => message.text.includes(text));
      found = shown.flatMap(buttonsOf);
      return found.length > 0;
    });
    return found;
  };
  telegram.say('paint it', inTopic);

  for (const data of await whenAsked('touch made')) telegram.press(data, { ...inTopic, from: ben });
  command(house, anna, '/approve', inTopic);
  const [red = '', blue = ''] = await whenAsked('Which colour?');
  telegram.press(red, { ...inTopic, from: ben });
  telegram.press(blue, inTopic);
  await telegram.whenShown(group.id, (texts) => texts.includes('Painted.'));

  assert.deepEqual(await answersIn(house), [['telegram:42', 'approved']]);
  assert.match(house.model.requests.at(-1)?.body ?? '', /The user answers: blue/);
});

test('where a conversation is shared, only an owner has everything run unasked, and for as long as they are one', async () => {
  const touch = callsTool('terminal', { command: 'touch made' });
  const script = [touch, says('First.'), touch, says('Second.'), touch, says('Third.')];
  await using house = await openTelegramHouse({ script, telegram: { allow: [anna.id], groups: 'all' } });
  const { telegram } = house;
  await letBenIn(house);

  command(house, ben, '/yolo on', inTopic);
  await telegram.whenShown(group.id, (texts) => texts.some((text) => text.startsWith('Others share')));
  telegram.say('make a file', { ...inTopic, from: ben });
  await telegram.whenShown(group.id, () => buttonsIn(house).length > 0);
  command(house, ben, '/approve session', inTopic);
  const allowed = await telegram.whenShown(group.id, (texts) => texts.includes('First.'));
  command(house, anna, '/yolo on', inTopic);
  await telegram.whenShown(group.id, (texts) => texts.some((text) => text.startsWith('From now on')));
  telegram.say('make a file', { ...inTopic, from: ben });
  await telegram.whenShown(group.id, (texts) => texts.includes('Second.'));
  await house.configure({ allow: [], groups: 'all' });
  telegram.say('make a file', { ...inTopic, from: ben });
  await telegram.whenShown(group.id, () => buttonsIn(house).length > 0);

  assert.ok(allowed.some((text) => text.startsWith('Allowed and no further')));
  assert.deepEqual(await answersIn(house), [
    ['telegram:43', 'approved'],
    ['telegram:42', 'approved'],
  ]);
});

test('where a conversation is shared, what an owner allowed for the session is asked again once they are none', async () => {
  const touch = callsTool('terminal', { command: 'touch made' });
  const script = [touch, says('First.'), touch, says('Second.'), touch, says('Third.')];
  await using house = await openTelegramHouse({ script, telegram: { allow: [anna.id], groups: 'all' } });
  const { telegram } = house;
  await letBenIn(house);

  telegram.say('make a file', { ...inTopic, from: ben });
  await telegram.whenShown(group.id, () => buttonsIn(house).length > 0);
  command(house, anna, '/approve session', inTopic);
  await telegram.whenShown(group.id, (texts) => texts.includes('First.'));
  telegram.say('make a file', { ...inTopic, from: ben });
  await telegram.whenShown(group.id, (texts) => texts.includes('Second.') && buttonsIn(house).length === 0);
  await house.configure({ allow: [], groups: 'all' });
  telegram.say('make a file', { ...inTopic, from: ben });
  await telegram.whenShown(group.id, (texts) => texts.includes('Third.') || buttonsIn(house).length > 0);

  assert.notDeepEqual(buttonsIn(house), []);
  assert.deepEqual(await answersIn(house), [
    ['telegram:42', 'approved'],
    ['telegram:42', 'approved'],
  ]);
});

async function letBenIn(house: TelegramHouse): Promise<void> {
  house.telegram.say('let me in', { from: ben });
  const [offer = ''] = await house.telegram.whenShown(ben.id, (texts) => texts.length > 0);
  await house.ask({ type: 'pair', code: /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(offer)?.[0] ?? '' });
}

/** What the buttons stand for that can be pressed in the group. */
function buttonsIn({ telegram }: TelegramHouse): readonly string[] {
  return telegram.shown(group.id).flatMap(buttonsOf);
}

function buttonsOf({ buttons }: ReturnType<TelegramHouse['telegram']['shown']>[number]): readonly string[] {
  const all = buttons?.inline_keyboard.flat() ?? [];
  return all.flatMap((button) => ('callback_data' in button ? [button.callback_data] : []));
}

async function answersIn({ app }: TelegramHouse): Promise<readonly (readonly (string | null)[])[]> {
  return (await app.store.turns.consents(99)).flatMap(({ entry }) =>
    entry.type === 'approval.answered' ? [[entry.by, entry.verdict]] : [],
  );
}

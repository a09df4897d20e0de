import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Inbound } from '../../src/model/channel.ts';
import type { Faults } from '../../src/model/faults.ts';
import { outcomeToText, textPart } from '../../src/model/message.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { callsTool, says } from '../support/model-script.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import { anna, ben } from '../support/telegram-server.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { HouseOptions, TestHouse } from '../support/test-house.ts';

const asked = callsTool('clarify', { question: 'Which colour?', choices: ['red', 'blue'] });
const shownText = 'Which colour?\n1. red\n2. blue\nAnswer with a number, or in your own words.';

async function openHouse(options: Partial<HouseOptions> = {}): Promise<TestHouse> {
  return await openTestHouse({ script: [asked, says('Painted.')], ...options });
}

async function outcomes(house: TestHouse): Promise<readonly string[]> {
  return (await house.log()).flatMap(({ entry }) =>
    entry.type === 'tool.settled' ? [outcomeToText(entry.outcome)] : [],
  );
}

for (const [said, meant] of [
  ['2', 'blue'],
  ['a dark green', 'a dark green'],
] as const) {
  test(`CLAR-02 while a question waits, “${said}” is its answer and no message of its own`, async () => {
    await using house = await openHouse();
    const question = house.whenAsked();
    await house.admit('paint it');

    const { text } = await question;
    const intake = await house.admit(said);
    await house.whenIdle();

    assert.equal(text, shownText);
    assert.deepEqual(intake, { type: 'answered' });
    assert.deepEqual(await outcomes(house), [`The user answers: ${meant}`]);
    assert.equal(house.shown.at(-1)?.text, 'Painted.');
    assert.ok(!(await house.logTypes()).includes('turn.steered'));
  });
}

test('CLAR-02 a number that no choice has is doubted once, and the question stays; said again, it is the answer', async () => {
  await using house = await openHouse();
  const question = house.whenAsked();
  await house.admit('paint it');
  await question;

  const doubted = await house.admit('7');
  const answered = await house.admit('7');
  await house.whenIdle();

  const reason = 'the choices are 1 to 2; say 7 once more if you mean the number itself';
  assert.deepEqual([doubted, answered], [{ type: 'refused', reason }, { type: 'answered' }]);
  assert.deepEqual(await outcomes(house), ['The user answers: 7']);
});

test('CLAR-02 a number that was doubted and is delivered twice is one message, and answers nothing', async () => {
  await using house = await openHouse();
  const question = house.whenAsked();
  await house.admit('paint it');
  await question;
  const { address, person, workdir } = await house.session();
  const key = { platform: address.platform, account: 'here', chat: address.chat, messageId: 'seven', revision: 0 };
  const delivery: Inbound = { type: 'message', key, address, person, parts: [textPart('7')], workdir };

  const first = await house.gateway.takeIn(delivery);
  const second = await house.gateway.takeIn(delivery);
  await house.admit('blue');
  await house.whenIdle();

  assert.equal(first.type, 'refused');
  assert.deepEqual(second, { type: 'ignored', reason: 'duplicate' });
  assert.deepEqual(await outcomes(house), ['The user answers: blue']);
});

test('CLAR-02 of two answers in the same moment the first counts, and the second is a message like any other', async () => {
  await using house = await openHouse({ script: ({ index }) => (index === 0 ? asked : says('Painted.')) });
  const question = house.whenAsked();
  await house.admit('paint it');
  await question;

  const intakes = await Promise.all([house.admit('red'), house.admit('blue')]);
  await house.whenIdle();

  assert.deepEqual(
    intakes.map(({ type }) => type),
    ['answered', 'steered'],
  );
  assert.deepEqual(await outcomes(house), ['The user answers: red']);
});

test('CLAR-02 commands still work while a question waits, and a stop ends it', async () => {
  await using house = await openHouse();
  const question = house.whenAsked();
  await house.admit('paint it');
  await question;

  const status = await house.admit('/status');
  await house.admit('/stop');
  await house.whenIdle();

  assert.match(status.type === 'commanded' ? status.reply : '', /^state {4}waits for your answer: Which colour\?$/m);
  assert.equal(house.shown.at(-1)?.text, 'Stopped.');
  assert.ok(!(await house.logTypes()).includes('question.answered'));
});

test('CLAR-03 a question that nobody answers in time is decided by the model', async () => {
  const clock = new ManualClock(Date.now());
  await using house = await openHouse({ clock, settings: { agent: { clarify_timeout: 20 } } });
  const question = house.whenAsked();
  await house.admit('paint it');
  await question;

  clock.advance(20_000);
  await house.whenIdle();

  assert.deepEqual(await outcomes(house), [
    'The user did not answer in time. Decide yourself, and say what you assumed.',
  ]);
});

test('where nobody can be asked the model is told so at once', async () => {
  await using house = await openHouse({ consent: 'nobody' });

  await house.say('paint it');

  assert.deepEqual(await outcomes(house), ['Nobody can be asked here. Decide yourself, and say what you assumed.']);
});

test('a question that the end of the program cut off is asked again, once, and then answered', async () => {
  await using house = await openHouse();
  const question = house.whenAsked();
  await house.admit('paint it');
  const { digest } = await question;
  await house.restart();
  const again = house.whenAsked();
  house.gateway.resume((await house.session()).id);

  const repeated = await again;
  await house.admit('1');
  await house.whenIdle();

  assert.equal(repeated.digest, digest);
  assert.equal(house.shown.filter(({ kind }) => kind === 'question').length, 2);
  assert.deepEqual(await outcomes(house), ['The user answers: red']);
});

test('an answer that was given before the program broke down is taken, and nothing is asked again', async () => {
  let isBroken = true;
  const reach: Faults['reach'] = (point) =>
    point === 'tool-ran' && isBroken ? Promise.reject(new Error('broken down')) : Promise.resolve();
  await using house = await openHouse({ faults: { reach } });
  const question = house.whenAsked();
  await house.admit('paint it');
  await question;
  await house.admit('2');
  await house.whenIdle();
  isBroken = false;
  await house.restart();

  house.gateway.resume((await house.session()).id);
  await house.whenIdle();

  assert.equal(house.shown.filter(({ kind }) => kind === 'question').length, 1);
  assert.deepEqual(await outcomes(house), ['The user answers: blue']);
});

test('CLAR-01 on Telegram a button under the question answers it, and a second press is told that it is over', async () => {
  await using house = await openTelegramHouse({ script: [asked, says('Painted.')] });
  house.telegram.say('paint it');
  await house.telegram.whenShown(anna.id, (texts) => texts.includes(shownText));
  const question = house.telegram.shown(anna.id).find(({ text }) => text === shownText);
  const labels = question?.buttons?.inline_keyboard.flat().map(({ text }) => text);
  const blue = question?.buttons?.inline_keyboard.flat().find(({ text }) => text === 'blue');
  const data = blue !== undefined && 'callback_data' in blue ? blue.callback_data : '';

  house.telegram.press(data);
  await house.telegram.whenShown(anna.id, (texts) => texts.includes('Painted.'));
  await house.telegram.whenShown(anna.id, (texts) => texts.includes(`${shownText}\n\nAnswered: blue`));
  house.telegram.press(data);
  const { text: told } = await house.telegram.whenCalled('answerCallbackQuery', 2);

  assert.match(String(told), /not open any more/);
  assert.deepEqual(labels, ['red', 'blue']);
  const result = JSON.stringify(house.model.requests.at(-1)?.json?.['messages']);
  assert.match(result, /The user answers: blue/);
});

test('CLAR-01 on Telegram a question longer than a message arrives whole, and a choice longer than a button is one', async () => {
  const words = Array.from({ length: 2000 }, (_, index) => `word${index}`);
  const choice = 'ü'.repeat(300);
  const long = callsTool('clarify', { question: `${words.join(' ')}?`, choices: ['red', choice] });
  await using house = await openTelegramHouse({ script: [long, says('Painted.')] });
  house.telegram.say('paint it');

  const texts = await house.telegram.whenShown(anna.id, (shown) =>
    shown.some((text) => text.includes('in your own words')),
  );
  const buttons = house.telegram.shown(anna.id).at(-1)?.buttons?.inline_keyboard.flat() ?? [];
  const second = buttons[1];
  house.telegram.press(second !== undefined && 'callback_data' in second ? second.callback_data : '');
  await house.telegram.whenShown(anna.id, (shown) => shown.includes('Painted.'));

  assert.deepEqual(
    words.filter((word) => !texts.some((text) => text.includes(word))),
    [],
  );
  assert.deepEqual(
    buttons.map(({ text }) => text),
    ['red', 'ü'.repeat(60)],
  );
  assert.ok(house.model.requests[1]?.body.includes(`The user answers: ${choice}`));
});

test('what is said or pressed in another chat answers nothing here', async () => {
  await using house = await openTelegramHouse({
    script: ({ body }) => {
      if (body.includes('hello from Ben')) return says('Hello, Ben.');
      return body.includes('The user answers') ? says('Painted.') : asked;
    },
    telegram: { allow: [anna.id, ben.id] },
  });
  const { telegram } = house;
  telegram.say('paint it');
  await telegram.whenShown(anna.id, (texts) => texts.includes(shownText));
  const [red] = telegram.shown(anna.id).flatMap(({ buttons }) => buttons?.inline_keyboard.flat() ?? []);

  const data = red !== undefined && 'callback_data' in red ? red.callback_data : '';
  telegram.press(data, { from: ben, chat: { id: ben.id, type: 'private', first_name: 'Ben' } });
  telegram.say('hello from Ben', { from: ben });
  await telegram.whenShown(ben.id, (texts) => texts.includes('Hello, Ben.'));
  telegram.say('2');
  await telegram.whenShown(anna.id, (texts) => texts.includes('Painted.'));

  assert.match(house.model.requests.at(-1)?.body ?? '', /The user answers: blue/);
});

test('CLAR-01 a button pressed by someone without access answers nothing, in the same group as well', async () => {
  const group = { id: -100_500, type: 'supergroup', title: 'Team' } as const;
  await using house = await openTelegramHouse({
    script: [asked, says('Painted.')],
    telegram: { allow: [anna.id], groups: 'all' },
  });
  house.telegram.say('paint it', { chat: group });
  await house.telegram.whenShown(group.id, (texts) => texts.includes(shownText));
  const question = house.telegram.shown(group.id).find(({ text }) => text === shownText);
  const [red = '', blue = ''] = (question?.buttons?.inline_keyboard.flat() ?? []).map((button) =>
    'callback_data' in button ? button.callback_data : '',
  );

  house.telegram.press(red, { chat: group, from: ben });
  const { text: told } = await house.telegram.whenCalled('answerCallbackQuery');
  house.telegram.press(blue, { chat: group });
  await house.telegram.whenShown(group.id, (texts) => texts.includes('Painted.'));

  assert.equal(told, 'This is not for you to answer.');
  assert.match(house.model.requests.at(-1)?.body ?? '', /The user answers: blue/);
});

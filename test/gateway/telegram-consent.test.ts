import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { FileStandingRules } from '../../src/store/home/standing-rules.ts';
import { openFakePrograms } from '../support/fake-programs.ts';
import { callsTool, says } from '../support/model-script.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import type { TelegramHouse } from '../support/telegram-house.ts';
import { dropsBefore, floods } from '../support/telegram-server-faults.ts';
import { anna, ben } from '../support/telegram-server.ts';

type Buttons = readonly { readonly text: string; readonly data: string }[];

/** Says something, waits for the question that it leads to, and returns its buttons. */
async function ask({ telegram }: TelegramHouse, text: string): Promise<Buttons> {
  telegram.say(text);
  const openButtons = (): Buttons =>
    telegram
      .shown(anna.id)
      .flatMap(({ buttons }) =>
        (buttons?.inline_keyboard.flat() ?? []).flatMap((button) =>
          'callback_data' in button ? [{ text: button.text, data: button.callback_data }] : [],
        ),
      );
  await telegram.whenShown(anna.id, () => openButtons().length > 0);
  return openButtons();
}

async function press({ telegram }: TelegramHouse, buttons: Buttons, label: string, reply: string): Promise<void> {
  telegram.press(buttons.find(({ text }) => text === label)?.data ?? '');
  await telegram.whenShown(anna.id, (texts) => texts.includes(reply));
}

async function answers({ app }: TelegramHouse): Promise<readonly object[]> {
  const entries = await app.store.turns.consents(100);
  return entries.flatMap(({ entry }) => {
    if (entry.type !== 'approval.answered') return [];
    const { by, verdict, rule, scope } = entry;
    return [{ by, verdict, ...(rule && { rule }), ...(scope && { scope }) }];
  });
}

function rulesOf({ home }: TelegramHouse): FileStandingRules {
  return new FileStandingRules(join(home, 'state', 'standing-rules.json'));
}

const push = callsTool('terminal', { command: 'git push' });

test('on a phone a button allows a command once, for the session or always, and the next one of its kind is not asked', async () => {
  await using programs = await openFakePrograms('git');
  await using house = await openTelegramHouse({
    script: [push, says('One.'), push, says('Two.'), push, says('Three.')],
    env: { PATH: programs.path },
  });

  const first = await ask(house, 'push');
  await press(house, first, 'Once', 'One.');
  const second = await ask(house, 'push again');
  await press(house, second, 'Always git push …', 'Two.');
  house.telegram.say('and again');
  await house.telegram.whenShown(anna.id, (texts) => texts.includes('Three.'));

  assert.deepEqual(
    first.map(({ text }) => text),
    ['Once', 'Session', 'Deny', 'Always git push …'],
  );
  assert.ok(first.every(({ data }) => Buffer.byteLength(data) <= 64));
  assert.equal((await programs.calls()).length, 3);
  assert.deepEqual(await answers(house), [
    { by: 'telegram:42', verdict: 'approved' },
    { by: 'telegram:42', verdict: 'approved', scope: 'always' },
    { by: 'telegram:42', verdict: 'approved', rule: 'always' },
  ]);
  assert.deepEqual(
    rulesOf(house)
      .list()
      .map(({ by, shown }) => [by, shown.startsWith('git push … (')]),
    [['telegram:42', true]],
  );
  assert.match(
    house.telegram
      .shown(anna.id)
      .map(({ text }) => text)
      .join('\n'),
    /\n\nAllowed always, in everybody’s sessions\./,
  );
});

test('what an owner allows for good runs unasked in the session of a guest, too, and the owner is told so', async () => {
  await using programs = await openFakePrograms('git');
  await using house = await openTelegramHouse({
    script: [push, says('One.'), push, says('Two.')],
    env: { PATH: programs.path },
  });
  const { telegram } = house;
  telegram.say('hi', { from: ben });
  const [offer = ''] = await telegram.whenShown(ben.id, (texts) => texts.length > 0);
  await house.ask({ type: 'pair', code: /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(offer)?.[0] ?? '' });

  telegram.say('push');
  await telegram.whenShown(anna.id, (texts) => texts.some((text) => text.includes('Session and Always are for')));
  telegram.say('/approve always');
  const told = await telegram.whenShown(
    anna.id,
    (texts) => texts.includes('One.') && texts.some((text) => text.startsWith('Allowed always')),
  );
  telegram.say('push', { from: ben });
  const heard = await telegram.whenShown(ben.id, (texts) => texts.includes('Two.'));

  assert.ok(told.some((text) => text.startsWith('Allowed always, in everybody’s sessions: git push')));
  assert.ok(!heard.some((text) => text.includes('git push')));
  assert.equal((await programs.calls()).length, 2);
});

test('a guest allows for the session at most: what is allowed for good is for owners to say', async () => {
  await using programs = await openFakePrograms('git');
  await using house = await openTelegramHouse({
    script: [push, says('One.')],
    telegram: {},
    env: { PATH: programs.path },
  });
  house.telegram.say('let me in');
  const [text = ''] = await house.telegram.whenShown(anna.id, (texts) => texts.length > 0);
  await house.ask({ type: 'pair', code: /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(text)?.[0] ?? '' });

  const buttons = await ask(house, 'push');
  await press(house, buttons, 'Always git push …', 'One.');

  assert.deepEqual(await answers(house), [{ by: 'telegram:42', verdict: 'approved', scope: 'session' }]);
  assert.deepEqual(rulesOf(house).list(), []);
});

test('a question that a flooded chat cannot take is asked when it can', async () => {
  await using programs = await openFakePrograms('git');
  await using house = await openTelegramHouse({ script: [push, says('One.')], env: { PATH: programs.path } });
  const faults = [floods(1), dropsBefore];
  house.telegram.disturb = ({ parameters }) => ('reply_markup' in parameters ? faults.shift() : undefined);

  const buttons = await ask(house, 'push');
  await press(house, buttons, 'Once', 'One.');

  assert.deepEqual([faults, (await programs.calls()).length], [[], 1]);
});

test('on a phone a question says that it is one, and a “yes” in words is told that it did not answer it', async () => {
  await using programs = await openFakePrograms('git');
  await using house = await openTelegramHouse({ script: [push, says('Pushed.')], env: { PATH: programs.path } });
  const { telegram } = house;

  const buttons = await ask(house, 'push');
  const asked = telegram.shown(anna.id).find(({ buttons: under }) => under !== undefined)?.text ?? '';
  telegram.say('yes');
  await telegram.whenShown(anna.id, (texts) => texts.some((text) => text.startsWith('Noted')));
  const callsBefore = (await programs.calls()).length;
  await press(house, buttons, 'Once', 'Pushed.');

  assert.match(asked, /^This needs your consent:\ngit push\nin /);
  assert.equal(callsBefore, 0);
  const texts = telegram.shown(anna.id).map(({ text }) => text);
  assert.ok(texts.some((text) => /^This needs your consent:\ngit push\n[\s\S]*\n\nAllowed\.$/.test(text)));
  assert.equal(
    texts.find((text) => text.startsWith('Noted')),
    'Noted: it reaches the running turn with its next step. The question above still waits: a button answers it, or /approve and /deny.',
  );
});

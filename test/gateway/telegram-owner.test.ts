import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ManualClock } from '../support/manual-clock.ts';
import { delays, says } from '../support/model-script.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import { anna, ben } from '../support/telegram-server.ts';

const group = { id: -100_500, type: 'supergroup', title: 'Team' } as const;

test('an owner link that is delivered again is not answered again', async () => {
  await using house = await openTelegramHouse({ script: () => says('Hello.'), telegram: {} });
  const { telegram } = house;
  const message = telegram.say(`/start ${await house.ask({ type: 'invite-owner' })}`);
  await telegram.whenShown(anna.id, (texts) => texts.length > 0);

  telegram.push({ message } as Parameters<typeof telegram.push>[0]);
  telegram.say('hi');
  const shown = await telegram.whenShown(anna.id, (texts) => texts.includes('Hello.'));

  assert.equal(shown.length, 2);
});

test('an owner link makes nobody an owner in a group, where others read it', async () => {
  await using house = await openTelegramHouse({ script: () => says('Hello.'), telegram: {} });
  const { telegram } = house;
  const code = await house.ask({ type: 'invite-owner' });

  const entities = [{ type: 'bot_command', offset: 0, length: 18 }] as const;
  telegram.say(`/start@talaria_bot ${code}`, { chat: group, entities: [...entities] });
  telegram.say('hi', { from: ben });
  await telegram.whenShown(ben.id, (texts) => texts.length > 0);

  assert.match(await house.ask({ type: 'people' }), /^Nobody has access/);
  assert.deepEqual(telegram.shown(group.id), []);
});

test('an owner link makes an owner of a guest, who is listed by the name of that time, and a newer one makes it worthless', async () => {
  await using house = await openTelegramHouse({ script: [], telegram: {} });
  const { telegram } = house;
  const codes = [await house.ask({ type: 'invite-owner' }), await house.ask({ type: 'invite-owner' })];

  telegram.say(`/start ${codes[0]}`, { from: ben });
  const [offer = ''] = await telegram.whenShown(ben.id, (texts) => texts.length > 0);
  telegram.say(`/start ${codes[1]}`);
  await telegram.whenShown(anna.id, (texts) => texts.length > 0);
  await house.ask({ type: 'pair', code: /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(offer)?.[0] ?? '' });
  const before = await house.ask({ type: 'people' });
  telegram.say(`/start ${await house.ask({ type: 'invite-owner' })}`, { from: { ...ben, last_name: 'Bit' } });
  await telegram.whenShown(ben.id, (texts) => texts.some((text) => text.includes('you are its owner')));

  assert.match(before, /^telegram:42 {2}owner, .* {2}Anna @anna\ntelegram:43 {2}guest, .* {2}Ben$/);
  assert.match(await house.ask({ type: 'people' }), /\ntelegram:43 {2}owner, .* {2}Ben Bit$/);
});

test('who takes access from the last owner is told that none is left; one of two is no such loss', async () => {
  await using house = await openTelegramHouse({ script: [], telegram: {} });
  const { telegram } = house;
  telegram.say(`/start ${await house.ask({ type: 'invite-owner' })}`);
  await telegram.whenShown(anna.id, (texts) => texts.length > 0);
  telegram.say(`/start ${await house.ask({ type: 'invite-owner' })}`, { from: ben });
  await telegram.whenShown(ben.id, (texts) => texts.length > 0);

  const oneOfTwo = await house.ask({ type: 'revoke', person: 'telegram:43' });
  const unsure = await house.ask({ type: 'revoke', person: 'telegram:42' });
  const still = await house.ask({ type: 'people' });
  const last = await house.ask({ type: 'revoke', person: 'telegram:42', sure: 'yes' });

  assert.equal(oneOfTwo, 'telegram:43 has no access any more.');
  assert.equal(unsure, 'telegram:42 is the last who owns the bot');
  assert.match(still, /^telegram:42 {2}owner, /);
  assert.match(last, /^telegram:42 has no access any more\. Nobody is left .*: talaria gateway setup makes a link/);
});

for (const chat of [undefined, group]) {
  const where = chat === undefined ? 'in private' : 'in a group';
  test(`whose access is taken back ${where}, what they have running and waiting ends unanswered`, async () => {
    const gate = Promise.withResolvers<void>();
    await using house = await openTelegramHouse({
      script: () => delays(gate.promise, says('Secret.')),
      telegram: { groups: 'all' },
    });
    const { telegram } = house;
    telegram.say('hi', { from: ben });
    const [offer = ''] = await telegram.whenShown(ben.id, (texts) => texts.length > 0);
    await house.ask({ type: 'pair', code: /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(offer)?.[0] ?? '' });
    const from = { from: ben, ...(chat && { chat }) };
    telegram.say('work', from);
    await house.model.whenRequested(1);
    telegram.say('/queue and more', { ...from, entities: [{ type: 'bot_command', offset: 0, length: 6 }] });
    const id = chat?.id ?? ben.id;
    await telegram.whenShown(id, (texts) => texts.includes('Waits: 1 turn is before it.'));

    await house.ask({ type: 'revoke', person: `telegram:${ben.id}` });
    await telegram.whenShown(id, (texts) => texts.filter((text) => text === 'Stopped.').length === 2);
    gate.resolve();

    assert.equal(house.model.requests.length, 1);
    assert.deepEqual(await house.app.store.turns.unsettled(), []);
  });
}

test('whom an edit of the settings shuts out is stopped though nobody says anything, and what is wrong with one is told to whoever speaks next', async () => {
  const clock = new ManualClock(Date.now());
  const gate = Promise.withResolvers<void>();
  await using house = await openTelegramHouse({
    script: ({ index }) => (index === 0 ? delays(gate.promise, says('Secret.')) : says('Hello.')),
    telegram: { allow: [anna.id, ben.id] },
    clock,
  });
  const { telegram } = house;
  telegram.say('work', { from: ben });
  await house.model.whenRequested(1);

  await house.configure({ allow: [anna.id], colour: 'blue' });
  clock.advance(5_000);
  await telegram.whenShown(ben.id, (texts) => texts.includes('Stopped.'));
  telegram.say('hi', { from: anna });
  const told = await telegram.whenShown(anna.id, (texts) => texts.includes('Hello.') && texts.length > 1);
  gate.resolve();

  assert.ok(
    told.some((text) => text.includes('colour')),
    told.join('\n'),
  );
});

test('whom an edit of the settings shuts out has nothing left running once it is taken up, unless a code let them in, too', async () => {
  const carl = { ...ben, id: 44, first_name: 'Carl' };
  const gate = Promise.withResolvers<void>();
  await using house = await openTelegramHouse({
    script: () => delays(gate.promise, says('Secret.')),
    telegram: {},
  });
  const { telegram } = house;
  telegram.say('hi', { from: carl });
  const [offer = ''] = await telegram.whenShown(carl.id, (texts) => texts.length > 0);
  await house.ask({ type: 'pair', code: /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(offer)?.[0] ?? '' });
  await house.configure({ allow: [anna.id, ben.id, carl.id] });
  for (const from of [ben, carl]) telegram.say('work', { from });
  await house.model.whenRequested(2);

  await house.configure({ allow: [anna.id] });
  telegram.say('hi', { from: anna });
  await telegram.whenShown(ben.id, (texts) => texts.includes('Stopped.'));
  gate.resolve();

  for (const { id } of [anna, carl]) await telegram.whenShown(id, (texts) => texts.includes('Secret.'));
  assert.deepEqual(
    telegram.shown(ben.id).map(({ text }) => text),
    ['Stopped.'],
  );
});

test('the log says who was let in and who lost their access, and by which way, with their ids alone', async () => {
  await using house = await openTelegramHouse({ script: () => says('Hello.'), telegram: {} });
  const { telegram } = house;
  telegram.say(`/start ${await house.ask({ type: 'invite-owner' })}`);
  await telegram.whenShown(anna.id, (texts) => texts.length > 0);
  telegram.say('hi', { from: ben });
  const [offer = ''] = await telegram.whenShown(ben.id, (texts) => texts.length > 0);
  await house.ask({ type: 'pair', code: /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(offer)?.[0] ?? '' });
  await house.ask({ type: 'revoke', person: 'telegram:43' });
  for (const [allow, answers] of [
    [[7], 1],
    [[], 2],
  ] as const) {
    await house.configure({ allow: [...allow] });
    telegram.say('hi');
    await telegram.whenShown(anna.id, (texts) => texts.filter((text) => text === 'Hello.').length === answers);
  }

  const lines = (await readFile(join(house.home, 'logs', 'talaria.log'), 'utf8')).trim().split('\n');
  const said = lines.flatMap((line) => {
    const { time: _time, message, ...fields } = JSON.parse(line) as Readonly<Record<string, string>>;
    return /was let in|taken back/.test(message ?? '') ? [{ message, ...fields }] : [];
  });
  const letIn = { message: 'someone was let in', level: 'info' };
  const takenBack = { message: 'access was taken back', level: 'info' };
  assert.deepEqual(said, [
    { ...letIn, person: 'telegram:42', as: 'owner', by: 'a link' },
    { ...letIn, person: 'telegram:43', as: 'guest', by: 'a code' },
    { ...takenBack, person: 'telegram:43', by: 'gateway revoke' },
    { ...letIn, person: 'telegram:7', as: 'owner', by: 'the settings' },
    { ...takenBack, person: 'telegram:7', by: 'the settings' },
  ]);
});

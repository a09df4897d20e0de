import assert from 'node:assert/strict';
import { rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import type { PersonId } from '../../src/base/ids.ts';
import { OutboxPostbox } from '../../src/gateway/postbox.ts';
import { withDefaults } from '../../src/model/config.ts';
import type { UserConfig } from '../../src/model/config-schema.ts';
import type { Faults } from '../../src/model/faults.ts';
import { outcomeToText } from '../../src/model/message.ts';
import type { Session } from '../../src/model/session.ts';
import { callsTool, says } from '../support/model-script.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import { anna, ben } from '../support/telegram-server.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';

const homeAddress = { platform: 'telegram', account: 'bot', chat: '42', thread: '' };

async function setHome({ app }: TestHouse): Promise<void> {
  await app.store.homeChats.set({ address: homeAddress, person: 'telegram:42' as PersonId, since: 1 });
}

async function outcomes(house: TestHouse): Promise<readonly string[]> {
  return (await house.log()).flatMap(({ entry }) =>
    entry.type === 'tool.settled' ? [outcomeToText(entry.outcome)] : [],
  );
}

async function queued({ app }: TestHouse): Promise<readonly string[]> {
  return (await app.store.outbox.due('telegram', Date.now())).map(({ message }) => message.text);
}

test('a message to the home chat is asked about with its whole text, and waits there', async () => {
  await using house = await openTestHouse({
    script: [callsTool('send_message', { to: 'home', text: 'It is done.' }), says('Sent.')],
  });
  await setHome(house);

  await house.say('tell me at home');

  const question = house.shown.find(({ kind }) => kind === 'question');
  assert.equal(question?.text, 'send to telegram:42:\nIt is done.');
  assert.deepEqual(await queued(house), ['It is done.']);
  assert.match((await outcomes(house))[0] ?? '', /^Handed over to telegram:42\./);
});

test('what the user does not allow is not sent, and an unknown chat is answered with those that there are', async () => {
  await using house = await openTestHouse({
    script: [
      callsTool('send_message', { to: 'telegram:42', text: 'x' }),
      callsTool('send_message', { to: 'telegram:7', text: 'x' }),
      says('Not sent.'),
    ],
    consent: 'denied',
  });
  await setHome(house);

  await house.say('tell them');

  const [denied, unknown] = await outcomes(house);
  assert.match(denied ?? '', /^REFUSED/);
  assert.match(unknown ?? '', /^ERROR: there is no chat telegram:7 .* there are: terminal:house, telegram:42$/);
  assert.deepEqual(await queued(house), []);
});

test('a message is sent once, though the program broke down behind it', async () => {
  let isBroken = true;
  const reach: Faults['reach'] = (point) =>
    point === 'tool-ran' && isBroken ? Promise.reject(new Error('broken down')) : Promise.resolve();
  await using house = await openTestHouse({
    script: [callsTool('send_message', { to: 'home', text: 'Once.' }), says('Sent.')],
    faults: { reach },
  });
  await setHome(house);
  await house.say('tell me');
  isBroken = false;
  await house.restart();

  house.gateway.resume((await house.session()).id);
  await house.whenIdle();

  assert.deepEqual(await queued(house), ['Once.']);
  assert.deepEqual(await outcomes(house), ['This was handed over to telegram:42 before the restart, once.']);
});

test('on Telegram a file comes to the chat without a question, and what holds secrets does not', async () => {
  await using house = await openTelegramHouse({
    script: [
      callsTool('send_message', { text: 'Here it is.', file: 'note.txt' }),
      callsTool('send_message', { text: 'And this.', file: join('home', '.env') }),
      says('Sent.'),
    ],
  });
  await writeFile(join(dirname(house.home), 'note.txt'), 'hello');
  await writeFile(join(house.home, '.env'), 'KEY=1', { mode: 0o600 });

  house.telegram.say('send me the file');
  await house.telegram.whenShown(anna.id, (texts) => texts.includes('Sent.'));

  assert.equal(house.telegram.callsOf('sendDocument').length, 1);
  assert.ok(house.telegram.shown(anna.id).some(({ text }) => text === 'Here it is.'));
  assert.ok(!house.telegram.shown(anna.id).some(({ text }) => text === 'And this.'));
});

test('a terminal shows the path of a file that the model sends to it, however large, and of one that is not there says so', async () => {
  await using house = await openTestHouse({
    script: [
      callsTool('send_message', { text: 'The film.', file: 'film' }),
      callsTool('send_message', { text: 'Another.', file: 'other' }),
      says('Sent.'),
    ],
  });
  const film = join(house.workdir, 'film');
  await writeFile(film, '');
  await truncate(film, 60 * 1024 * 1024);

  await house.say('send me the film');

  assert.deepEqual(
    house.shown.flatMap(({ kind, text }) => (kind === 'notice' ? [text] : [])),
    [`The film.\n[a file: ${film}]`],
  );
  assert.match((await outcomes(house))[1] ?? '', /^ERROR: there is no file \S+other$/);
});

test('a file that Telegram would not take is refused with the reason before anything is queued', async () => {
  await using house = await openTestHouse({
    script: [
      callsTool('send_message', { to: 'home', text: 'The film.', file: 'film' }),
      callsTool('send_message', { to: 'home', text: 'Nothing.', file: 'nothing' }),
      callsTool('send_message', { to: 'home', text: 'The most.', file: 'most' }),
      says('Not sent.'),
    ],
  });
  await setHome(house);
  // They take no room: nothing is written.
  const sizes = { film: 60 * 1024 * 1024, nothing: 0, most: 50 * 1024 * 1024 };
  for (const [name, size] of Object.entries(sizes)) {
    await writeFile(join(house.workdir, name), '');
    await truncate(join(house.workdir, name), size);
  }

  await house.say('send me all of it');

  const [film, nothing, most] = await outcomes(house);
  assert.match(film ?? '', /^ERROR: \S+film cannot be sent: it has 60 MB, and Telegram takes 50 MB from a bot$/);
  assert.match(nothing ?? '', /^ERROR: \S+nothing cannot be sent: it is empty$/);
  assert.match(most ?? '', /^Handed over/);
  assert.deepEqual(await queued(house), ['The most.']);
});

test('a file that was put in the place of the one that was asked about goes to no other chat', async () => {
  await using house = await openTestHouse({
    script: [callsTool('send_message', { to: 'home', text: 'The list.', file: 'list' }), says('Not sent.')],
    consent: 'silence',
  });
  await setHome(house);
  for (const name of ['plants', 'debts']) await writeFile(join(house.workdir, name), name);
  await symlink('plants', join(house.workdir, 'list'));

  const asked = house.whenAsked();
  await house.admit('send the list home');
  const question = await asked;
  await rm(join(house.workdir, 'list'));
  await symlink('debts', join(house.workdir, 'list'));
  await house.admit('/approve');
  await house.whenIdle();

  assert.match(question.text, /^send to telegram:42 with the file \S+plants:/);
  assert.match(
    (await outcomes(house))[0] ?? '',
    /^REFUSED: that now leads to \S+debts, which the user was not asked about/,
  );
  assert.deepEqual(await queued(house), []);
});

test('a letter to a group is for all who are in it, and stands in no other member’s conversation', async () => {
  await using house = await openTestHouse({ script: [] });
  const { store } = house.app;
  const [one, two] = ['telegram:42', 'telegram:43'] as PersonId[];
  assert.ok(one && two);
  const group = { ...homeAddress, chat: '-100' };
  const begin = (member: PersonId): Promise<Session> =>
    store.sessions.at({ address: { ...group, member }, person: member, workdir: '/' });
  const [, own] = [await begin(two), await begin(one)];
  const { id } = await store.sessions.at({ address: homeAddress, person: one, workdir: '/' });
  const postbox = new OutboxPostbox({
    store,
    settings: { current: { config: withDefaults({} as UserConfig), user: null } },
    clock: systemClock,
  });

  assert.deepEqual(await postbox.find('telegram:-100', id), { name: 'telegram:-100', address: group });
  assert.deepEqual(await postbox.find(undefined, own.id), { name: 'telegram:-100', address: own.address });
  assert.deepEqual(await postbox.reach(own.id, one), [
    { name: 'telegram:-100', address: own.address },
    { name: 'telegram:42', address: homeAddress },
  ]);
});

test('nobody reaches the chat of someone else, nor a guest the home chat, and nobody is asked about it', async () => {
  const aims: Readonly<Record<string, string>> = { 'write to ben': `telegram:${ben.id}`, 'write home': 'home' };
  await using house = await openTelegramHouse({
    script: ({ body: text }) => {
      const aim = Object.keys(aims).find((each) => text.includes(each));
      if (aim === undefined) return says('Hello.');
      if (text.includes('there is no chat')) return says(`${aims[aim] ?? ''} is out of reach.`);
      return callsTool('send_message', { to: aims[aim] ?? '', text: 'Hello you.' });
    },
  });
  const { store } = house.app;
  await store.people.offer({ digest: 'd', person: `telegram:${ben.id}` as PersonId, at: 1, expiresAt: 2 });
  await store.people.admit('d', 1);
  await store.homeChats.set({
    address: { ...homeAddress, chat: `${anna.id}` },
    person: `telegram:${anna.id}` as PersonId,
    since: 1,
  });
  house.telegram.say('hi', { from: ben });
  await house.telegram.whenShown(ben.id, (texts) => texts.includes('Hello.'));

  house.telegram.say('write to ben');
  house.telegram.say('write home', { from: ben });
  await house.telegram.whenShown(anna.id, (texts) => texts.includes(`telegram:${ben.id} is out of reach.`));
  await house.telegram.whenShown(ben.id, (texts) => texts.includes('home is out of reach.'));

  for (const { id } of [anna, ben])
    assert.ok(!house.telegram.shown(id).some(({ text }) => /Hello you|send to/.test(text)));
});

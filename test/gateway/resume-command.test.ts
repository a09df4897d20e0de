import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortId } from '../../src/base/ids.ts';
import type { PersonId, SessionId } from '../../src/base/ids.ts';
import { says } from '../support/model-script.ts';
import { openTestHouse } from '../support/test-house.ts';
import { access, anna, ben, dm, group, owner, page, sayAt, toldBy, topic, typeAt } from '../support/typed-places.ts';

test('/resume lists the latest sessions, and a number of the list goes on with that one', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });
  await house.say('about tea');
  const old = await house.session();
  await house.admit('/new');
  await house.say('about coffee');

  const listed = toldBy(await house.admit('/resume'));
  const resumed = toldBy(await house.admit('/resume 2'));
  await house.say('and sugar?');

  assert.match(listed, /^1 {2}\w+ {2}about coffee\n2 {2}\w+ {2}about tea\n/);
  assert.match(resumed, new RegExp(`^Going on with ${old.id} \\(about tea\\)\\.`));
  assert.equal((await house.session()).id, old.id);
  const body = house.server.requests.at(-1)?.body ?? '';
  assert.ok(body.includes('about tea') && !body.includes('about coffee'));
});

test('the columns of /sessions stand below each other with ten of them, too', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });
  for (let count = 1; count <= 10; count += 1) {
    await house.say(`talk ${count}`);
    await house.admit('/new');
  }

  const lines = toldBy(await house.admit('/sessions'))
    .split('\n')
    .slice(0, 10);

  assert.deepEqual(
    lines.map((line) => line.indexOf('talk')),
    lines.map(() => lines[9]?.indexOf('talk')),
  );
  assert.match(lines[9] ?? '', /^10 {2}\w+ {2}talk 1$/);
});

test('/resume shows what was said last there, in short, and nothing that was taken back', async () => {
  const long = ['First of many lines.', ...Array.from({ length: 20 }, (_, index) => `line ${index}`)].join('\n');
  await using house = await openTestHouse({ script: [says('Kettle.'), says(long), says('Beans.')] });
  await house.say('about tea');
  await house.say('and in   full?');
  const { id } = await house.session();
  await house.admit('/new');
  await house.say('about coffee');

  const resumed = toldBy(await house.admit(`/resume ${id}`));
  await house.say('/undo');
  await house.admit('/new');
  const again = toldBy(await house.admit(`/resume ${id}`));

  assert.match(resumed, /\nLast there:\n› and in full\?\nFirst of many lines\.\nline 0\n[^]*\nline 6\n…$/);
  assert.match(again, /\nLast there:\n› about tea\nKettle\.$/);
});

test('/resume finds a session by its id, a beginning of it, its title and a part of that', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });
  await house.say('about tea');
  await house.admit('/title Holiday plans');
  const { id } = await house.session();

  for (const wish of [id, `<${id}>`, shortId(id), 'holiday plans', 'HOLIDAY']) {
    await house.admit('/new');
    await house.admit(`/resume ${wish}`);
    assert.equal((await house.session()).id, id, wish);
  }
  assert.match(toldBy(await house.admit('/resume gardening')), /^There is no session “gardening” here\./);
});

test('what was unfinished in a session goes on when it is resumed', async () => {
  const gate = Promise.withResolvers<void>();
  await using house = await openTestHouse({
    script: async (_request, index) => {
      if (index === 0) await gate.promise;
      return says(`answer ${index + 1}`);
    },
  });
  await house.admit('go');
  await house.server.whenRequested(1);
  const { id } = await house.session();
  await house.restart();
  gate.resolve();
  await house.admit('/new');

  await house.admit(`/resume ${id}`);
  await house.whenIdle();

  assert.equal(house.shown.at(-1)?.text, 'answer 2');
});

test('in a chat only its own sessions are there; the threads of a private chat share theirs, and none turns up in a group', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.'), settings: access });
  await house.say('at the terminal');
  const own = (await house.session()).id;
  const inDm = await sayAt(dm, 'in private', house);
  const inGroup = await sayAt(group, 'in the group', house);

  assert.doesNotMatch(await typeAt(group, '/resume', house), /in private|at the terminal/);
  assert.match(await typeAt(group, `/resume ${inDm}`, house), /^There is no session/);
  assert.match(await typeAt({ ...group, thread: '7' }, `/resume ${inGroup}`, house), /^There is no session/);
  const member = 'telegram:43' as PersonId;
  assert.match(await typeAt({ ...group, member }, `/resume ${inGroup}`, house), /^There is no session/);
  assert.match(await typeAt(group, `/resume ${own}`, house), /^There is no session/);
  assert.match(await typeAt(dm, `/resume ${inGroup}`, house), /^There is no session/);
  assert.match(await typeAt(topic, '/resume 1', house), /^Going on with .*in private/);

  const moved = await house.app.store.sessions.get(inDm);
  assert.deepEqual(moved?.address, topic);
});

test('at a terminal the list says which sessions are of a chat, and whose, and a number takes nobody else’s', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.'), settings: access });
  const { people } = house.app.store;
  await people.inviteOwner({ digest: 'o', expiresAt: Date.now() + 60_000 });
  await people.admitOwner('o', { person: anna }, Date.now());
  await people.offer({ digest: 'd', person: ben, name: 'Ben', at: Date.now(), expiresAt: Date.now() + 60_000 });
  await people.admit('d', Date.now());
  await house.say('at the terminal');
  const ids = [
    await sayAt({ ...dm, chat: '43' }, 'of Ben', house, ben),
    await sayAt({ ...group, thread: '7' }, 'of all', house),
    await sayAt(page, 'in the browser', house, owner),
    await sayAt(dm, 'of Anna', house),
  ];

  const listed = toldBy(await house.admit('/sessions'));
  const refused = [toldBy(await house.admit('/resume 3')), toldBy(await house.admit('/resume 4'))];
  const stays = await house.app.store.sessions.get(ids[0] as SessionId);
  const own = toldBy(await house.admit('/resume 1'));
  const named = toldBy(await house.admit(`/resume ${shortId(ids[0] as SessionId)}`));

  const rows = listed.split('\n').map((row) => row.replace(/^(\d) {2}\w+ {2}/, '$1 '));
  assert.deepEqual(rows.slice(0, -1), [
    '1 of Anna  (on Telegram)',
    '2 in the browser  (on the page)',
    '3 of all  (on Telegram, shared by a group)',
    '4 of Ben  (on Telegram, of telegram:43 “Ben”)',
    '5 at the terminal',
  ]);
  assert.match(refused[0] ?? '', /^“of all” is not yours alone: it is on Telegram, shared by a group, /);
  assert.match(
    refused[1] ?? '',
    /^“of Ben” is not yours alone: it is on Telegram, of telegram:43 “Ben”, .* \/resume \w+$/,
  );
  assert.equal(stays?.address.platform, 'telegram');
  assert.match(own, /^Going on with .*of Anna/);
  assert.match(named, /^Going on with .*of Ben/);
});

test('where several accounts are owners, none of them is taken for whoever sits at the terminal', async () => {
  await using house = await openTestHouse({
    script: () => says('Hello.'),
    settings: { telegram: { allow: [42, 44] } },
  });
  await sayAt(dm, 'of Anna', house);

  assert.match(toldBy(await house.admit('/resume 1')), /is on Telegram, of telegram:42/);
});

test('a number that the list does not have is no end of an id, and no part of a title', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.'), settings: access });
  const bens = { address: { ...dm, chat: '43' }, person: ben, workdir: house.workdir };
  const { sessions } = house.app.store;
  let session = await sessions.at(bens);
  while (!/[3-9]$/.test(session.id)) session = await sessions.renew(bens);
  await sayAt(bens.address, 'chapter 27', house);
  const typed = [session.id.slice(-1), '27'];

  const told = await Promise.all(typed.map(async (number) => toldBy(await house.admit(`/resume ${number}`))));

  assert.deepEqual(
    told,
    typed.map((number) => `There is no session “${number}” here. /resume lists the latest ones.`),
  );
});

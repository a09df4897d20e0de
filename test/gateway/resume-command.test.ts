import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortId } from '../../src/base/ids.ts';
import type { PersonId, SessionId } from '../../src/base/ids.ts';
import type { Intake } from '../../src/gateway/intake.ts';
import type { Address } from '../../src/model/session.ts';
import { says } from '../support/model-script.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';

function toldBy(intake: Intake): string {
  return intake.type === 'commanded' ? intake.reply : intake.type;
}

const anna = 'telegram:42' as PersonId;
const ben = 'telegram:43' as PersonId;
const owner = 'owner' as PersonId;

/** Something typed on Telegram by someone who has access. */
async function typeAt(address: Address, text: string, house: TestHouse, person = anna): Promise<string> {
  const { platform, account, chat } = address;
  const key = { platform, account, chat, messageId: crypto.randomUUID(), revision: 0 };
  const parts = [{ type: 'text', text }] as const;
  return toldBy(await house.gateway.takeIn({ type: 'message', key, address, person, parts, workdir: house.workdir }));
}

async function sayAt(address: Address, text: string, house: TestHouse, person = anna): Promise<SessionId> {
  await typeAt(address, text, house, person);
  const { id } = await house.app.store.sessions.at({ address, person, workdir: '' });
  await house.gateway.whenIdle(id);
  return id;
}

const dm: Address = { platform: 'telegram', account: '1', chat: '42', thread: '' };
const topic: Address = { ...dm, thread: '7' };
const group: Address = { ...dm, chat: '-100' };
const page: Address = { platform: 'webchat', account: 'local', chat: 'mine', thread: '' };
const access = { telegram: { allow: [42] } };

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
  assert.match(await typeAt(dm, `/resume ${own}`, house), /^There is no session/);
  assert.match(await typeAt(dm, `/resume ${inGroup}`, house), /^There is no session/);
  assert.match(await typeAt(topic, '/resume 1', house), /^Going on with .*in private/);

  const moved = await house.app.store.sessions.get(inDm);
  assert.deepEqual(moved?.address, topic);
});

test('a chat is told when a terminal takes its conversation, and not when it takes one that the chat had left', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.'), settings: access });
  const first = await sayAt(dm, 'an old one', house);
  await typeAt(dm, '/new', house);
  const second = await sayAt(dm, 'a new one', house);
  const told = async (): Promise<readonly string[]> => {
    const due = await house.app.store.outbox.due('telegram', Date.now());
    return due.map(({ message }) => message.text).filter((text) => text.includes('is at a terminal now'));
  };

  await house.admit(`/resume ${first}`);
  const before = await told();
  await house.admit(`/resume ${second}`);

  assert.deepEqual(before, []);
  assert.deepEqual(await told(), [
    '“a new one” is at a terminal now: what you write here begins a new conversation. ' +
      `/resume ${shortId(second)} takes it back.`,
  ]);
});

test('a conversation of the page is said to have been on the page, by no name that only the program has for it', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });
  const id = await sayAt(page, 'in the browser', house, owner);

  assert.match(toldBy(await house.admit(`/resume ${id}`)), /It was on the page; there a new one begins/);
});

test('the owner at the terminal goes on with a session of any platform', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.'), settings: access });
  const inDm = await sayAt(dm, 'in private', house);
  await house.say('at the terminal');

  const reply = toldBy(await house.admit(`/resume ${inDm}`));
  await house.say('go on');

  assert.match(reply, /It was on Telegram; there a new one begins with the next message\.$/m);
  assert.equal((await house.session()).id, inDm);
  assert.ok(house.server.requests.at(-1)?.body.includes('in private'));
});

for (const [where, chat, person] of [
  ['a private chat', dm, anna],
  ['the page', page, owner],
] as const) {
  test(`what a terminal took from ${where} can be taken back there, by its number and by its id, with nothing allowed any more`, async () => {
    await using house = await openTestHouse({ script: () => says('Hello.'), settings: access });
    const id = await sayAt(chat, 'about tea', house, person);
    await house.admit(`/resume ${id}`);
    await house.say('at the terminal');
    await house.admit('/yolo on');

    const listed = await typeAt(chat, '/resume', house, person);
    const taken = await typeAt(chat, '/resume 1', house, person);
    const status = await typeAt(chat, '/status', house, person);
    await house.admit(`/resume ${id}`);
    const again = await typeAt(chat, `/resume ${shortId(id)}`, house, person);
    await sayAt(chat, 'and sugar?', house, person);

    assert.equal(listed.split('\n')[0], `1  ${shortId(id)}  about tea  (at a terminal)`);
    for (const text of [taken, again]) assert.match(text, /about tea\).* It was at a terminal; there a new one begins/);
    assert.doesNotMatch(status, /yolo/);
    assert.deepEqual((await house.app.store.sessions.get(id))?.address, chat);
    assert.match(house.server.requests.at(-1)?.body ?? '', /about tea[^]*at the terminal[^]*and sugar/);
  });
}

test('what is at a terminal comes back to nobody but the owner whose it is, and to no place where others are', async () => {
  await using house = await openTestHouse({
    script: () => says('Hello.'),
    settings: { telegram: { allow: [42, 44] } },
  });
  const { people } = house.app.store;
  await people.offer({ digest: 'd', person: ben, at: Date.now(), expiresAt: Date.now() + 60_000 });
  await people.admit('d', Date.now());
  const [guests, anothers] = [
    { ...dm, chat: '43' },
    { ...dm, chat: '44' },
  ];
  await house.say('at the terminal');
  const own = (await house.session()).id;
  const ofAnna = await sayAt(dm, 'of Anna', house);
  const ofBen = await sayAt(guests, 'of Ben', house, ben);
  const ofGroup = await sayAt(group, 'of all', house);
  for (const id of [ofAnna, ofBen, ofGroup]) await house.admit(`/resume ${id}`);

  for (const [id, address, person] of [
    [ofBen, guests, ben],
    [ofAnna, guests, ben],
    [ofAnna, anothers, 'telegram:44' as PersonId],
    [ofAnna, page, owner],
    [ofAnna, group, anna],
    [ofGroup, group, anna],
    [own, dm, anna],
  ] as const) {
    assert.match(await typeAt(address, `/resume ${id}`, house, person), /^There is no session/);
    assert.doesNotMatch(await typeAt(address, '/resume', house, person), new RegExp(shortId(id)));
  }
  const due = await house.app.store.outbox.due('telegram', Date.now());
  const ways = due.flatMap(({ message: { text, address } }) => (text.includes('takes it back') ? [address.chat] : []));
  assert.deepEqual(ways, [dm.chat]);
});

test('at a terminal the list says which sessions are of a chat, and whose, and a number takes nobody else’s', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.'), settings: access });
  const { people } = house.app.store;
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

test('a conversation that was taken to a terminal is told that it is read there as soon as it is shortened', async () => {
  const long = 'word '.repeat(2000);
  await using house = await openTestHouse({
    script: (request) => says(request.body.includes('"tools"') ? long : 'Summary.'),
    settings: { ...access, compression: { enabled: false, target_ratio: 0.05, protect_last_n: 1 } },
  });
  const id = await sayAt(dm, 'about tea', house);
  for (const text of ['about milk', 'about sugar']) await sayAt(dm, text, house);
  await house.admit(`/resume ${id}`);

  await house.say('go on');
  const before = house.server.requests.at(-1)?.body ?? '';
  const shortened = await house.say('/compact');
  await house.say('and on');
  const after = house.server.requests.at(-1)?.body ?? '';

  assert.match(shortened, /^Shortened/);
  assert.match(before, /Your answers are read in Telegram/);
  assert.match(after, /Your answers are read in a terminal/);
});

/** Lets so many steps of what is under way be taken. */
async function passSteps(count: number): Promise<void> {
  for (let step = 0; step < count; step += 1) await Promise.resolve();
}

test('a message that is on its way while its conversation is taken elsewhere is answered where it was said', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.'), settings: access });
  const { sessions, turns } = house.app.store;
  const seen = new Set<string>();
  for (let steps = 0; steps < 60; steps += 1) {
    const here: Address = { ...dm, thread: `here ${steps}` };
    const there: Address = { ...dm, thread: `there ${steps}` };
    const id = await sayAt(here, 'to begin with', house);
    const session = await sessions.get(id);
    assert.ok(session);

    const said = typeAt(here, 'and now', house);
    await passSteps(steps);
    const taken = await house.gateway.takeOver(session, there).then(
      () => 'moved',
      () => 'at work',
    );
    await said;
    const answering = await sessions.find(here);
    assert.ok(answering);
    await house.gateway.whenIdle(answering.id);

    seen.add(taken);
    const log = await turns.after(answering.id, 0);
    assert.equal(log.filter(({ entry }) => entry.type === 'turn.settled').length, taken === 'moved' ? 1 : 2);
    assert.equal(answering.id === id, taken === 'at work');
    assert.equal(
      (await turns.after(id, 0)).filter(({ entry }) => entry.type === 'turn.admitted').length,
      taken === 'moved' ? 1 : 2,
    );
  }
  assert.deepEqual(seen, new Set(['moved', 'at work']));
});

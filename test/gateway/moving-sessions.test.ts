import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortId } from '../../src/base/ids.ts';
import type { PersonId } from '../../src/base/ids.ts';
import type { Address } from '../../src/model/session.ts';
import { says } from '../support/model-script.ts';
import { openTestHouse } from '../support/test-house.ts';
import { access, anna, ben, dm, group, owner, page, sayAt, toldBy, typeAt } from '../support/typed-places.ts';

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

test('what the owner began at a terminal, on the page or in private on the phone goes on in any of them', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.'), settings: access });
  await house.say('begun at the terminal');
  const { id } = await house.session();
  await sayAt(page, 'begun on the page', house, owner);
  const onPhone = await sayAt(dm, 'begun on the phone', house);

  const listed = await typeAt(dm, '/resume', house);
  const onThePhone = await typeAt(dm, `/resume ${shortId(id)}`, house);
  const onThePage = await typeAt(page, `/resume ${shortId(id)}`, house, owner);
  const phonesOnThePage = await typeAt(page, `/resume ${shortId(onPhone)}`, house, owner);
  await sayAt(page, 'and on', house, owner);

  assert.match(
    listed,
    /begun on the phone\n\d {2}\w+ {2}begun on the page {2}\(on the page\)\n\d {2}\w+ {2}begun at the terminal {2}\(at a terminal\)/,
  );
  assert.match(onThePhone, /begun at the terminal\).* It was at a terminal; there a new one begins/);
  assert.match(onThePage, /begun at the terminal\).* It was on Telegram; there a new one begins/);
  assert.match(phonesOnThePage, /begun on the phone\)/);
  assert.match(house.server.requests.at(-1)?.body ?? '', /begun on the phone[^]*and on/);
  const told = (await house.app.store.outbox.due('telegram', Date.now())).map(({ message: { text } }) => text);
  assert.ok(
    told.includes(
      `“begun at the terminal” is on the page now: what you write here begins a new conversation. /resume ${shortId(id)} takes it back.`,
    ),
  );
});

for (const [what, allow, role] of [
  ['two that the settings name', [42, 44], undefined],
  ['one that came by a link beside one that the settings name', [42], 'owner'],
  ['one that the settings name beside a guest, who may be the owner of the machine', [42], 'guest'],
] as const) {
  test(`of several accounts nobody knows which is that of whoever sits at the terminal, and none gets what was begun there: ${what}`, async () => {
    await using house = await openTestHouse({ script: () => says('Hello.'), settings: { telegram: { allow } } });
    const { people } = house.app.store;
    const carla = 'telegram:44' as PersonId;
    const code = { digest: 'd', at: Date.now(), expiresAt: Date.now() + 60_000 };
    if (role === 'owner') {
      await people.inviteOwner(code);
      await people.admitOwner('d', { person: carla }, Date.now());
    } else if (role === 'guest') {
      await people.offer({ ...code, person: carla });
      await people.admit('d', Date.now());
    }
    await house.say('begun at the terminal');
    const { id } = await house.session();
    const onPage = await sayAt(page, 'begun on the page', house, owner);

    for (const [address, person] of [
      [dm, anna],
      [{ ...dm, chat: '44' }, carla],
    ] as const) {
      for (const each of [id, onPage]) {
        assert.match(await typeAt(address, `/resume ${each}`, house, person), /^There is no session/);
        assert.doesNotMatch(await typeAt(address, '/resume', house, person), new RegExp(shortId(each)));
      }
    }
    assert.match(await typeAt(page, `/resume ${id}`, house, owner), /begun at the terminal\)/);
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

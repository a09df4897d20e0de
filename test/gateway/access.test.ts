import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { PersonId } from '../../src/base/ids.ts';
import { allowedPeople, decideAccess, isOwner, mayBeTold } from '../../src/gateway/access.ts';
import type { Access } from '../../src/gateway/access.ts';
import { decideOffer, offerCode, redeemCode } from '../../src/gateway/pairing.ts';
import type { Inbound } from '../../src/model/channel.ts';
import { checkConfig } from '../../src/model/config.ts';
import { describeProblems } from '../../src/model/schema.ts';
import type { Json } from '../../src/base/json.ts';
import { openStoreHouse } from '../support/store-house.ts';
import * as sqlite from '../support/store-sqlite-opener.ts';

const ada = 'telegram:1' as PersonId;
const minuteMs = 60_000;

function inbound(type: Inbound['type'], platform: string, chat: string): Inbound {
  const address = { platform, account: 'bot', chat, thread: '' };
  if (type === 'choice') return { type, address, person: ada, digest: 'd', choice: 0 };
  if (type === 'answer') return { type, address, person: ada, digest: 'd', verdict: 'approved' };
  const key = { platform, account: 'bot', chat, messageId: '1', revision: 0 };
  return { type, key, address, person: ada, parts: [], workdir: '/' };
}

const granted: Access = { type: 'granted' };
const silence: Access = { type: 'denied', answer: 'silence' };
const code: Access = { type: 'denied', answer: 'pairing-code' };

const table: readonly (readonly [string, Inbound, 'let-in' | 'stranger', Access])[] = [
  ['the terminal belongs to the owner', inbound('message', 'terminal', 'x'), 'stranger', granted],
  ['the page belongs to the owner', inbound('message', 'webchat', 'x'), 'stranger', granted],
  ['a button on the page is pressed by the owner', inbound('answer', 'webchat', 'x'), 'stranger', granted],
  ['who was let in may write', inbound('message', 'telegram', '1'), 'let-in', granted],
  ['who was let in may write in a group', inbound('message', 'telegram', '-5'), 'let-in', granted],
  ['who was let in may press buttons', inbound('answer', 'telegram', '1'), 'let-in', granted],
  ['a stranger in a private chat gets a code', inbound('message', 'telegram', '1'), 'stranger', code],
  ['a stranger in a group hears nothing', inbound('message', 'telegram', '-5'), 'stranger', silence],
  ['a stranger in the chat of someone else hears nothing', inbound('message', 'telegram', '2'), 'stranger', silence],
  ['a stranger who presses a button hears nothing', inbound('answer', 'telegram', '1'), 'stranger', silence],
];

for (const [title, what, standing, access] of table) {
  test(title, () => {
    assert.deepEqual(decideAccess(what, standing), access);
  });
}

function allowedBy(telegram: Json): readonly string[] | string {
  const checked = checkConfig({ telegram });
  return checked.type === 'valid' ? [...allowedPeople(checked.config)] : describeProblems(checked.problems);
}

test('the settings let in by number, written as number or text; nobody unless they name someone, and never by name', () => {
  assert.deepEqual(allowedBy({}), []);
  assert.deepEqual(allowedBy({ allow: [] }), []);
  assert.deepEqual(allowedBy({ allow: [12_345, '678', -100_900] }), [
    'telegram:12345',
    'telegram:678',
    'telegram:chat:-100900',
  ]);
  assert.match(String(allowedBy({ allow: ['@ada'] })), /telegram\.allow\.0 must be a whole number/);
});

test('codes are few: one in five minutes and three in an hour for a person, twenty in an hour for all', () => {
  const at = (person: PersonId, ...minutes: readonly number[]): { person: PersonId; at: number }[] =>
    minutes.map((minute) => ({ person, at: minute * minuteMs }));
  const others = Array.from({ length: 20 }, (_, index) => at(`telegram:${index + 2}` as PersonId, 50)).flat();

  assert.equal(decideOffer(ada, [], 60 * minuteMs), 'offer');
  assert.equal(decideOffer(ada, at(ada, 56), 60 * minuteMs), 'refuse');
  assert.equal(decideOffer(ada, at(ada, 55), 60 * minuteMs), 'offer');
  assert.equal(decideOffer(ada, at(ada, 10, 20, 30), 60 * minuteMs), 'refuse');
  assert.equal(decideOffer(ada, others.slice(1), 60 * minuteMs), 'offer');
  assert.equal(decideOffer(ada, others, 60 * minuteMs), 'refuse');
});

test('at the page sits the owner, who may be told what belongs to no chat; a stranger elsewhere is neither', async () => {
  await using house = await openStoreHouse(sqlite);
  const checked = checkConfig({});
  assert.equal(checked.type, 'valid');
  const deps = { store: house.store, settings: { current: { config: checked.config, user: null } } };
  const page = inbound('message', 'webchat', 'x');
  const stranger = inbound('message', 'telegram', '1');

  assert.deepEqual([await isOwner(page, deps), await mayBeTold(page, deps)], [true, true]);
  assert.deepEqual([await isOwner(stranger, deps), await mayBeTold(stranger, deps)], [false, false]);
});

test('a code lets in once, in its time, however it is typed', async () => {
  await using house = await openStoreHouse(sqlite);
  const { store, clock } = house;
  const offered = await offerCode({ person: ada }, { store, clock });
  assert.match(offered ?? '', /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);

  const typed = (offered ?? '').toLowerCase().replace('-', ' ').replaceAll('0', 'o');
  assert.equal(await redeemCode(typed, { store, clock }), ada);
  assert.equal(await redeemCode(offered ?? '', { store, clock }), undefined);
  assert.deepEqual(await store.people.list(), [{ person: ada, since: clock.now(), role: 'guest' }]);
});

test('a code stands nowhere in the store: whoever reads it there lets nobody in', async () => {
  await using house = await openStoreHouse(sqlite);
  const { store, clock, place } = house;
  const offered = (await offerCode({ person: ada }, { store, clock })) ?? '';
  await store.close();

  const files = (await readdir(place, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const bytes = await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')));

  assert.ok(bytes.some((text) => text.includes(ada)));
  for (const form of [offered, offered.replace('-', '')]) {
    assert.deepEqual([form.length > 0, bytes.some((text) => text.includes(form))], [true, false]);
  }
});

test('a code is worth nothing after fifteen minutes, once there is a newer one, or once access was taken back', async () => {
  await using house = await openStoreHouse(sqlite);
  const { store, clock } = house;

  const first = await offerCode({ person: ada }, { store, clock });
  clock.advance(6 * minuteMs);
  const second = await offerCode({ person: ada }, { store, clock });
  assert.ok(first && second);
  assert.equal(await redeemCode(first, { store, clock }), undefined);
  clock.advance(15 * minuteMs);
  assert.equal(await redeemCode(second, { store, clock }), undefined);
  const third = await offerCode({ person: ada }, { store, clock });
  await store.people.remove(ada);
  assert.equal(await redeemCode(third ?? '', { store, clock }), undefined);

  assert.equal(await store.people.has(ada), false);
});

test('who was let in stays so after a restart', async () => {
  await using house = await openStoreHouse(sqlite);
  const { clock } = house;
  const offered = await offerCode({ person: ada }, { store: house.store, clock });
  await redeemCode(offered ?? '', { store: house.store, clock });

  const store = await house.reopen();

  assert.equal(await store.people.has(ada), true);
  assert.equal(await store.people.has('telegram:2' as PersonId), false);
});

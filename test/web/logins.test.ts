import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Logins } from '../../src/web/logins.ts';
import { WrongTries } from '../../src/web/wrong-tries.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { openStoreHouse } from '../support/store-house.ts';
import * as sqlite from '../support/store-sqlite-opener.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

test('a code is good for a quarter of an hour, and a login for thirty days', async () => {
  await using house = await openStoreHouse(sqlite);
  const { clock } = house;
  const logins = new Logins({ webLogins: house.store.webLogins, clock, token: 'token' });
  const [early, late] = [logins.newCode(), logins.newCode()];

  clock.advance(15 * minuteMs - 1);
  const secret = (await logins.redeem(early)) ?? '';
  clock.advance(1);

  assert.equal(await logins.redeem(late), undefined);
  clock.advance(30 * dayMs - 2);
  assert.equal((await logins.ofBrowser(secret))?.type, 'browser');
  clock.advance(1);
  assert.equal(await logins.ofBrowser(secret), undefined);
});

test('of many codes that nobody uses the newest twenty count', async () => {
  await using house = await openStoreHouse(sqlite);
  const logins = new Logins({ webLogins: house.store.webLogins, clock: house.clock, token: 'token' });
  const codes = Array.from({ length: 21 }, () => logins.newCode());

  assert.equal(await logins.redeem(codes[0] ?? ''), undefined);
  assert.notEqual(await logins.redeem(codes[1] ?? ''), undefined);
});

test('wrong tries shut out where they come from, for ten minutes, and nobody else', () => {
  const clock = new ManualClock();
  const tries = new WrongTries(clock);
  for (let count = 0; count < 10; count += 1) tries.note('here');

  assert.deepEqual([tries.isShutOut('here'), tries.isShutOut('there')], [true, false]);
  clock.advance(10 * minuteMs);
  assert.equal(tries.isShutOut('here'), false);
});

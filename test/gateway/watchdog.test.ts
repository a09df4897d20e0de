import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/base/ids.ts';
import type { PersonId } from '../../src/base/ids.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { callsTool, says, staysSilent } from '../support/model-script.ts';
import type { ModelScript } from '../support/model-script.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { HouseOptions, TestHouse } from '../support/test-house.ts';

const secondMs = 1000;
const minuteMs = 60 * secondMs;

async function openSilentHouse(
  script: ModelScript,
  options: Partial<HouseOptions> = {},
): Promise<{ readonly house: TestHouse; readonly clock: ManualClock }> {
  const clock = new ManualClock(Date.now());
  return { house: await openTestHouse({ script, clock, ...options }), clock };
}

/** Lets time pass in small steps, so that whoever sleeps wakes when it should. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += 5 * secondMs) {
    clock.advance(Math.min(5 * secondMs, ms - passedMs));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function notices(house: TestHouse): readonly string[] {
  return house.shown.filter(({ kind }) => kind === 'notice').map(({ text }) => text);
}

const tenMinutes: JsonObject = { agent: { gateway_timeout: 600 } };

test('a turn in which nothing stirs is warned about once, at half of the time, and ended at the end of it', async () => {
  const { house, clock } = await openSilentHouse([staysSilent(), says('Here again.')], { settings: tenMinutes });
  await using _house = house;
  await house.admit('hello?');
  await house.server.whenRequested(1);

  await pass(clock, 299 * secondMs);
  const early = notices(house);
  await pass(clock, 1 * secondMs);
  const atHalf = notices(house);
  await pass(clock, 299 * secondMs);
  const beforeEnd = notices(house);
  clock.advance(1 * secondMs);
  await house.whenIdle();
  const reply = await house.say('and now?');

  assert.deepEqual(early, []);
  assert.deepEqual(atHalf, [
    'Nothing has happened for 5 minutes (last: starting new turn (cached)). In 5 minutes this turn is ended; /stop ends it now.',
  ]);
  assert.deepEqual(beforeEnd, atHalf);
  assert.deepEqual(notices(house).slice(1), [
    'That did not work: nothing happened for 10 minutes (last: starting new turn (cached)), so the turn was ended; agent.gateway_timeout says after how long.',
  ]);
  assert.equal(reply, 'Here again.');
});

test('a time of 0 lets a turn be silent for as long as it likes', async () => {
  const { house, clock } = await openSilentHouse([staysSilent(says('At last.'))], {
    settings: { agent: { gateway_timeout: 0 } },
  });
  await using _house = house;
  await house.admit('hello?');
  await house.server.whenRequested(1);

  await pass(clock, 29 * minuteMs);
  house.server.release();
  await house.whenIdle();

  assert.deepEqual(
    house.shown.map(({ text }) => text),
    ['At last.'],
  );
});

test('a turn that waits for a person is not stuck, however long that takes', async () => {
  const { house, clock } = await openSilentHouse([callsTool('terminal', { command: 'echo x > y' }), says('Done.')], {
    settings: { ...tenMinutes, approvals: { timeout: 3600 } },
    consent: 'silence',
  });
  await using _house = house;
  await house.admit('do it');
  await house.whenLogged('approval.asked');

  await pass(clock, 25 * minuteMs);
  const waiting = await house.logTypes();
  await house.admit('/stop');
  await house.whenIdle();

  assert.equal(waiting.at(-1), 'approval.asked');
  assert.equal(house.shown.at(-1)?.text, 'Stopped.');
});

test('I1 29 idle minutes do not trip a watchdog of 30 minutes: the next turn begins with a clock of its own', async () => {
  const { house, clock } = await openSilentHouse([says('Hello.'), staysSilent(says('Still here.'))]);
  await using _house = house;
  await house.say('hi');

  await pass(clock, 29 * minuteMs);
  await house.admit('and now?');
  await house.server.whenRequested(2);
  await pass(clock, 5 * minuteMs);
  house.server.release();
  await house.whenIdle();

  assert.equal(house.shown.at(-1)?.text, 'Still here.');
  assert.deepEqual(notices(house), []);
});

test('I7 a turn stuck for 1750 s and then interrupted leaves its clock to the next one: the watchdog fires 50 s later', async () => {
  const { house, clock } = await openSilentHouse(() => staysSilent());
  await using _house = house;
  // Taken in before the lane has begun a turn, so that each becomes a turn of its own.
  await Promise.all(['first', 'second'].map((text) => admitAs(house, text)));
  await house.server.whenRequested(1);
  await pass(clock, 1750 * secondMs);

  await house.admit('/stop');
  await house.server.whenRequested(2);
  await pass(clock, 49 * secondMs);
  const early = await results(house);
  clock.advance(1 * secondMs);
  await house.whenIdle();

  assert.deepEqual(early, ['interrupted']);
  assert.deepEqual(await results(house), ['interrupted', 'failed']);
  assert.match(notices(house).at(-1) ?? '', /nothing happened for 30 minutes/);
});

async function admitAs(house: TestHouse, text: string): Promise<void> {
  await house.gateway.takeIn({
    type: 'message',
    key: { platform: 'terminal', account: 'local', chat: 'house', messageId: newId('turn', Date.now()), revision: 0 },
    address: house.address,
    person: 'owner' as PersonId,
    parts: [{ type: 'text', text }],
    workdir: house.workdir,
  });
}

async function results(house: TestHouse): Promise<readonly string[]> {
  return (await house.log()).flatMap(({ entry }) => (entry.type === 'turn.settled' ? [entry.result.type] : []));
}

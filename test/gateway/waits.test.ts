import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeTime, describeWait } from '../../src/gateway/describe-wait.ts';
import { beginWaiting, followWait } from '../../src/gateway/follow-wait.ts';
import { titleOf } from '../../src/gateway/vendor-titles.ts';
import type { RuntimeName } from '../../src/model/runtime.ts';
import { vendors } from '../../src/providers/vendors.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { callsTool, failsWith, says, stallsAfter, staysSilent } from '../support/model-script.ts';
import type { ModelScript } from '../support/model-script.ts';
import { isForSummary, prose } from '../turn/compaction-setup.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { HouseOptions, TestHouse } from '../support/test-house.ts';

const secondMs = 1000;

interface SlowHouse {
  readonly house: TestHouse;
  readonly clock: ManualClock;
}

async function openSlowHouse(script: ModelScript, options: Partial<HouseOptions> = {}): Promise<SlowHouse> {
  const clock = new ManualClock(Date.now());
  return { house: await openTestHouse({ script, clock, ...options }), clock };
}

/** Lets time pass second by second, so that whoever sleeps wakes when it should. */
async function pass({ house, clock }: SlowHouse, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 1) {
    clock.advance(secondMs);
    // Whoever wakes looks into the store before it speaks; the store answers in order.
    await new Promise((resolve) => setImmediate(resolve));
    await house.app.store.turns.unsettled();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function statuses({ events }: TestHouse): readonly string[] {
  return events.flatMap((event) => (event.type === 'status' ? [event.text] : []));
}

test('after 30 s without an answer, and every 15 s from then on, one line says who is waited for', async () => {
  const slow = await openSlowHouse([staysSilent(says('Here.'))]);
  await using house = slow.house;
  await house.admit('hello?');
  await house.server.whenRequested(1);

  await pass(slow, 29);
  const early = statuses(house);
  await pass(slow, 32);
  house.server.release();
  await house.whenIdle();

  assert.deepEqual(early, []);
  assert.deepEqual(
    statuses(house),
    [30, 45, 60].map((seconds) => `waiting for custom:scripted, ${seconds} s, try 1 of 4`),
  );
  assert.equal(house.shown.at(-1)?.text, 'Here.');
});

test('/status says what is waited for and since when, and how many wait behind it', async () => {
  const slow = await openSlowHouse([staysSilent(says('Here.')), says('Next.')]);
  await using house = slow.house;
  await house.admit('hello?');
  await house.server.whenRequested(1);
  await house.admit('/queue and then');

  await pass(slow, 12);
  const status = await house.admit('/status');
  house.server.release();
  await house.whenIdle();
  const after = await house.admit('/status');

  const stateIn = (intake: typeof status): string | undefined =>
    intake.type === 'commanded' ? /^state {4}(.*)$/m.exec(intake.reply)?.[1] : undefined;
  assert.equal(stateIn(status), 'waiting for custom:scripted, 12 s, try 1 of 4; 1 more waits');
  assert.equal(stateIn(after), 'idle');
});

test('the line counts the tries, goes on counting the time, and names who comes next', async () => {
  const fallback = { provider: 'openrouter', model: 'auto', base_url: 'http://127.0.0.1:9/v1', key_env: 'KEY' };
  const slow = await openSlowHouse([failsWith(503), staysSilent(says('Here.'))], {
    settings: { fallback },
    env: { KEY: 'a-key-for-tests' },
  });
  await using house = slow.house;
  const paused = house.when(
    (event) => event.type === 'waiting' && event.wait.type === 'model' && event.wait.attempt > 1,
  );
  await house.admit('hello?');
  await paused;
  await pass(slow, 1);
  await house.server.whenRequested(2);

  await pass(slow, 29);
  house.server.release();
  await house.whenIdle();

  assert.deepEqual(statuses(house), ['waiting for custom:scripted, 30 s, try 2 of 4; next: OpenRouter']);
});

test('a server that asks for patience is named as the reason', async () => {
  const busy = failsWith(429, { error: { message: 'slow down' } }, { 'retry-after': '90' });
  const slow = await openSlowHouse([busy, says('Here.')]);
  await using house = slow.house;
  const paused = house.when(
    (event) => event.type === 'waiting' && event.wait.type === 'model' && event.wait.attempt > 1,
  );
  await house.admit('hello?');
  await paused;

  await pass(slow, 30);
  await house.admit('/stop');
  await house.whenIdle();

  assert.deepEqual(statuses(house), ['cooling down before custom:scripted is asked again, 30 s, try 2 of 4']);
});

test('an answer that stops in the middle, and one that is only thought about, are told apart', async () => {
  const slow = await openSlowHouse([
    stallsAfter(400, says('One two three four five six seven eight.')),
    stallsAfter(900, says('Yes.', { reasoning: 'so many thoughts that the words come much later' })),
  ]);
  await using house = slow.house;

  for (const type of ['text.delta', 'reasoning.delta'] as const) {
    const begun = house.when((event) => event.type === type);
    await house.admit('go');
    await begun;
    await pass(slow, 31);
    await house.admit('/stop');
    await house.whenIdle();
  }

  const [stalled = '', thinking = ''] = statuses(house);
  assert.match(stalled, /^waiting for custom:scripted to go on, 3\d s$/);
  assert.match(thinking, /^custom:scripted is thinking, 3\d s$/);
});

test('a long command is named with the time it takes, whatever it prints', async () => {
  const slow = await openSlowHouse([callsTool('terminal', { command: 'yes | head -c 9; sleep 300' }), says('Done.')]);
  await using house = slow.house;
  const printed = house.when((event) => event.type === 'tool.progress');
  await house.admit('work');
  await printed;

  await pass(slow, 121);
  await house.admit('/stop');
  await house.whenIdle();

  const said = statuses(house);
  assert.equal(said[0], 'running `yes | head -c 9; sleep 300`, 30 s');
  assert.equal(said.at(-1), 'running `yes | head -c 9; sleep 300`, 2 min');
});

test('after a restart the line says that a command of before still runs, and is waited for', async () => {
  const slow = await openSlowHouse([callsTool('terminal', { command: 'echo up; sleep 300' }), says('Done.')]);
  await using house = slow.house;
  const printed = house.when((event) => event.type === 'tool.progress');
  await house.admit('work');
  await printed;
  await house.restart();

  const found = house.when((event) => event.type === 'waiting' && event.wait.type === 'tools');
  house.gateway.resume((await house.session()).id);
  await found;
  await pass(slow, 31);
  await house.admit('/stop');
  await house.whenIdle();

  assert.deepEqual(statuses(house), ['it still runs; waiting for it, 30 s: `echo up; sleep 300`']);
});

test('whoever is asked is reminded that it is their turn', async () => {
  const slow = await openSlowHouse([callsTool('terminal', { command: 'touch x' }), says('Done.')], {
    consent: 'silence',
  });
  await using house = slow.house;
  const asked = house.when((event) => event.type === 'waiting' && event.wait.type === 'person');
  await house.admit('work');
  await asked;

  await pass(slow, 30);
  await house.admit('/stop');
  await house.whenIdle();

  assert.deepEqual(statuses(house), ['waiting for your answer (question below)']);
});

test('a summary that takes long is named as such', async () => {
  const slow = await openSlowHouse((request) => (isForSummary(request) ? staysSilent() : says(prose('answer', 400))));
  await using house = slow.house;
  for (const label of ['one', 'two', 'three', 'four']) await house.say(prose(label, 400));
  const asked = house.when((event) => event.type === 'waiting' && event.wait.type === 'summary');
  await house.admit('/compact');
  await asked;

  await pass(slow, 30);
  await house.admit('/stop');
  await house.whenIdle();

  assert.deepEqual(statuses(house), ['compacting: custom:scripted writes a summary, 30 s']);
});

test('messages that wait behind a turn are counted in its line', async () => {
  const slow = await openSlowHouse(() => staysSilent());
  await using house = slow.house;
  // Taken in before the lane has begun a turn, so that each becomes a turn of its own.
  await Promise.all(['first', 'second', 'third'].map((text) => house.admit(text)));
  await house.server.whenRequested(1);

  await pass(slow, 30);

  assert.deepEqual(statuses(house), ['waiting for custom:scripted, 30 s, try 1 of 4; 2 more wait for a place']);
});

function nameOf(text: string): RuntimeName {
  return text as RuntimeName;
}

test('every vendor has a title, and two models of one vendor are told apart', () => {
  const untitled = vendors.filter((vendor) => titleOf(nameOf(`${vendor.name}:m`)) === `${vendor.name}:m`);

  assert.deepEqual(untitled, []);
  assert.equal(titleOf(nameOf('anthropic:claude'), nameOf('openai:gpt')), 'Anthropic');
  assert.equal(titleOf(nameOf('anthropic:large'), nameOf('anthropic:small')), 'anthropic:large');
});

test('the line of a call reads as one would say it', () => {
  const wait = {
    type: 'model',
    runtime: 'anthropic:claude' as RuntimeName,
    attempt: 2,
    mostAttempts: 4,
    next: 'openrouter:auto' as RuntimeName,
  } as const;
  const waiting = followWait(beginWaiting(0), { type: 'waiting', wait }, 0);

  assert.equal(describeWait(waiting, 41_500), 'waiting for Anthropic, 41 s, try 2 of 4; next: OpenRouter');
  assert.deepEqual([0, 119_999, 120_000, 7_199_000, 7_200_000].map(describeTime), [
    '0 s',
    '119 s',
    '2 min',
    '119 min',
    '2 h',
  ]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/base/json.ts';
import type { TurnEntry } from '../../src/model/turn.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { cutsAfter, failsWith, says } from '../support/model-script.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';

// A dollar for a million tokens: what is counted in tokens is counted in millionths of a dollar.
const prices = { 'custom:scripted': { input: 1, output: 1, cache_read: 1, cache_write: 1 } };
const usage = { prompt_tokens: 1000, completion_tokens: 500 };

function limitedTo(limits: JsonObject): JsonObject {
  return { limits, prices };
}

async function entriesOf<Type extends TurnEntry['type']>(
  house: TestHouse,
  type: Type,
): Promise<readonly Extract<TurnEntry, { type: Type }>[]> {
  const entries = (await house.log()).map(({ entry }) => entry);
  return entries.filter((entry): entry is Extract<TurnEntry, { type: Type }> => entry.type === type);
}

function dayOf(now: number): string {
  const date = new Date(now);
  const [year, month, day] = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

test('the worst case of a call is set aside before it is sent, and what it cost replaces it', async () => {
  await using house = await openTestHouse({
    script: () => says('ok', { usage }),
    settings: limitedTo({ per_day: 1, per_session: 1 }),
  });

  await house.say('hello');

  const [asked] = await entriesOf(house, 'step.asked');
  const { money } = house.app.store;
  const sent = house.server.requests[0]?.body ?? '';
  assert.ok((asked?.reserved?.amount ?? 0) > 32_000 + 1000, 'the longest answer and at least the prompt');
  assert.match(sent, /"max_(?:completion_)?tokens":32000/);
  assert.equal(await money.spent(`day:${dayOf(Date.now())}`), 1500);
  assert.equal(await money.spent(`session:${(await house.session()).id}`), 1500);
});

test('a call that could pass a limit is not made, and the turn says which limit it was', async () => {
  await using house = await openTestHouse({
    script: () => says('ok', { usage }),
    settings: limitedTo({ per_turn: 0.02 }),
  });

  const reply = await house.say('hello');

  assert.equal(house.server.requests.length, 0);
  assert.match(
    reply,
    /^That did not work: the limit for a turn is \$0\.0200; \$0\.00 are spent .* may cost up to \$0\.03\d*: raise limits\.per_turn, or ask for shorter answers with model\.max_output_tokens\.$/,
  );
  assert.equal((await entriesOf(house, 'limit.reached'))[0]?.verdict, 'stopped');
});

test('what was set aside elsewhere counts: two sessions cannot pass the limit of a day together', async () => {
  await using house = await openTestHouse({
    script: () => says('ok', { usage }),
    settings: limitedTo({ per_day: 0.06 }),
  });
  // As a lane of another session does while its own call is on its way.
  const scope = `day:${dayOf(Date.now())}`;
  const reserved = await house.app.store.money.reserve(30_000, [{ scope, limit: 60_000 }]);
  assert.ok(reserved.type === 'reserved');

  assert.match(await house.say('hello'), /the limit for a day is \$0\.0600; \$0\.0300 are spent or set aside/);
  await house.app.store.money.settle(reserved.id, 100);
  assert.equal(await house.say('again'), 'ok');
});

test('where the settings say so a person is asked, and a yes holds for the rest of that turn only', async () => {
  const questions: string[] = [];
  await using house = await openTestHouse({
    script: () => says('ok', { usage }),
    settings: limitedTo({ per_turn: 0.02, when_reached: 'ask' }),
    consent: ({ text }) => {
      questions.push(text);
      return questions.length === 1 ? 'approved' : 'denied';
    },
  });

  assert.equal(await house.say('hello'), 'ok');
  assert.match(await house.say('again'), /^That did not work: the limit for a turn/);

  assert.equal(questions.length, 2);
  assert.match(questions[0] ?? '', /^The limit for a turn is .*\. Go on in this turn without a limit\?$/);
  assert.deepEqual(
    (await entriesOf(house, 'limit.reached')).map(({ verdict, by }) => [verdict, by]),
    [
      ['lifted', 'owner'],
      ['stopped', 'owner'],
    ],
  );
});

test('a price that is not known stops the turn: a limit that could not be kept is not one', async () => {
  await using house = await openTestHouse({
    script: () => says('ok', { usage }),
    settings: { limits: { per_month: 100 } },
  });

  const reply = await house.say('hello');

  assert.match(
    reply,
    /the price of custom:scripted is not known, so they could not be kept: set prices\."custom:scripted" \(input and output\) in the settings, or take out limits\.$/,
  );
  assert.equal(house.server.requests.length, 0);
});

test('passing four fifths of a limit is said once', async () => {
  await using house = await openTestHouse({
    script: () => says('ok', { usage: { prompt_tokens: 50_000, completion_tokens: 1000 } }),
    settings: limitedTo({ per_session: 0.5 }),
  });

  for (let turn = 1; turn <= 9; turn += 1) assert.equal(await house.say(String(turn)), 'ok');

  const notices = house.events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  assert.deepEqual(notices, ['$0.41 of the $0.50 for a session are spent']);
});

test('a call that the server refused costs nothing; one that broke off counts as its worst case', async () => {
  const clock = new ManualClock();
  await using house = await openTestHouse({
    script: [failsWith(400), cutsAfter(40, says('broken off')), says('ok', { usage })],
    settings: limitedTo({ per_session: 10 }),
    clock,
  });
  const scope = `session:${(await house.session()).id}`;

  await house.say('refused');
  assert.equal(await house.app.store.money.spent(scope), 0);
  const waiting = house.when((event) => event.type === 'notice' && event.text.includes('trying again in 1 s'));
  await house.admit('broken off');
  await waiting;
  clock.advance(1000);
  await house.whenIdle();

  const reserved = (await entriesOf(house, 'step.asked'))[1]?.reserved?.amount ?? 0;
  assert.ok(reserved > 32_000);
  assert.equal(await house.app.store.money.spent(scope), reserved + 1500);
});

test('without limits nothing is set aside and no length is imposed', async () => {
  await using house = await openTestHouse({ script: () => says('ok', { usage }) });

  await house.say('hello');

  assert.equal((await entriesOf(house, 'step.asked'))[0]?.reserved, undefined);
  assert.doesNotMatch(house.server.requests[0]?.body ?? '', /max_(?:completion_)?tokens/);
});

test('what each call took is kept for the sums, also when its session is deleted', async () => {
  await using house = await openTestHouse({ script: () => says('ok', { usage }) });
  await house.say('hello');
  const { id } = await house.session();

  const [record] = await house.app.store.usages.list({ sessionId: id });
  await house.app.store.sessions.delete(id);

  assert.equal(record?.runtime, 'custom:scripted');
  assert.deepEqual([record?.usage.fresh, record?.usage.output], [1000, 500]);
  assert.equal((await house.app.store.usages.list({})).length, 1);
});

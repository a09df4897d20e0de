import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/base/ids.ts';
import type { NodeId, PersonId } from '../../src/base/ids.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { textPart } from '../../src/model/message.ts';
import type { RuntimeName } from '../../src/model/runtime.ts';
import type { TurnEntry } from '../../src/model/turn.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { callsTool, failsWith, says, sendsEvents, stallsAfter } from '../support/model-script.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';
import { answered, compactionsOf, notices, openLongHouse, prose, sumUps } from './compaction-setup.ts';

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

async function spentIn(house: TestHouse): Promise<number> {
  return await house.app.store.money.spent(`session:${(await house.session()).id}`);
}

async function usageOf(house: TestHouse): Promise<string> {
  const answer = await house.admit('/usage');
  return answer.type === 'commanded' ? answer.reply : answer.type;
}

async function outputsOf(house: TestHouse): Promise<readonly (readonly [string, number])[]> {
  return (await house.app.store.usages.list({})).map(({ purpose, usage: { fresh, output } }) => [
    purpose,
    fresh + output,
  ]);
}

test('a limit of money asks a free local model for no length of its own, and its small window stays usable', async () => {
  await using long = await openLongHouse({
    answer: () => says('ok'),
    window: 8192,
    model: { provider: 'vllm', default: 'qwen' },
    settings: { limits: { per_day: 5 } },
  });

  assert.equal(await long.house.say('hello'), 'ok');
  assert.doesNotMatch(long.server.requests[0]?.body ?? '', /max_(?:completion_)?tokens/);
});

test('where money is limited, no longer answer is asked for than has room in the window beside the prompt', async () => {
  await using long = await openLongHouse({
    answer: () => says('ok', { usage }),
    window: 20_000,
    settings: limitedTo({ per_day: 5 }),
  });

  await long.house.say('hello');
  await long.house.say('again');

  const lengths = long.server.requests.map(({ json }) => Number(json?.['max_tokens']));
  assert.ok((lengths[0] ?? 0) >= 5000 && (lengths[0] ?? 0) < 20_000, `${lengths[0]}`);
  assert.ok((lengths[1] ?? 0) > 18_000 && (lengths[1] ?? 0) < 19_000, `${lengths[1]}: what was counted is known`);
});

test('a server that finds the answer asked for too long is no reason to shorten the conversation; the advice says what is', async () => {
  const message = "'max_tokens' is too large: 9000. This model's maximum context length is 8192 tokens";
  await using long = await openLongHouse({
    answer: () => failsWith(400, { error: { message, code: 400 } }),
    model: { max_output_tokens: 9000 },
  });

  assert.match(await long.house.say('hello'), /ask for shorter answers with model\.max_output_tokens/);
  assert.equal(long.server.requests.length, 1);
});

test('thoughts with a budget are within what is set aside', async () => {
  const dear = { input: 1, output: 50, cache_read: 1, cache_write: 1 };
  await using long = await openLongHouse({
    answer: () => failsWith(400),
    model: {
      default: 'claude-haiku-4-5',
      api_mode: 'anthropic_messages',
      max_output_tokens: 1000,
      reasoning_effort: 'high',
    },
    settings: { limits: { per_turn: 5 }, prices: { 'custom:claude-haiku-4-5': dear } },
  });

  await long.house.say('hello');

  const longest = Number(long.server.requests[0]?.json?.['max_tokens']);
  const [asked] = await entriesOf(long.house, 'step.asked');
  assert.ok(longest > 16_000);
  assert.ok(longest * 50 <= (asked?.reserved?.amount ?? 0));
});

test('the worst case of a prompt is that all of it is written to the cache, where that has the higher price', async () => {
  const dear = { input: 1, output: 1, cache_read: 1, cache_write: 10 };
  await using house = await openTestHouse({
    script: () => says('ok', { usage }),
    settings: { limits: { per_day: 5 }, prices: { 'custom:scripted': dear } },
  });

  await house.say('hello');

  const [asked] = await entriesOf(house, 'step.asked');
  assert.ok((asked?.reserved?.amount ?? 0) > 32_000 + 10 * 1000);
});

test('an answer that fails in the middle keeps what was set aside, and counts as a call of unknown cost', async () => {
  const beginning = {
    id: 'x',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: { role: 'assistant', content: 'words '.repeat(100) }, finish_reason: null }],
  };
  const broken = sendsEvents([beginning, { error: { message: 'no', type: 'server_error', code: 500 } }]);
  const clock = new ManualClock();
  await using house = await openTestHouse({
    script: (_, index) => (index === 0 ? broken : says('ok', { usage })),
    clock,
    settings: limitedTo({ per_session: 5 }),
  });

  const waiting = house.when((event) => event.type === 'notice' && event.text.includes('trying again in 1 s'));

  await house.admit('hello');
  await waiting;
  clock.advance(1000);
  await house.whenIdle();

  const [asked] = await entriesOf(house, 'step.asked');
  assert.equal(await spentIn(house), (asked?.reserved?.amount ?? 0) + 1500);
  assert.deepEqual(await outputsOf(house), [
    ['answer', 0],
    ['answer', 1500],
  ]);
});

test('a stopped answer counts as its prompt and what was seen of it, and the sums say that its cost is unknown', async () => {
  await using house = await openTestHouse({
    script: () => stallsAfter(400, says('a long answer that goes on and on and on', { usage })),
    settings: limitedTo({ per_session: 1 }),
  });
  const seen = house.when((event) => event.type === 'text.delta');
  await house.admit('hello');
  await seen;

  await house.admit('/stop');
  await house.whenIdle();

  const [asked] = await entriesOf(house, 'step.asked');
  const reserved = asked?.reserved?.amount ?? 0;
  const spent = await spentIn(house);
  assert.ok(spent > 1000 && spent <= reserved - 32_000 + 400, `${spent} of ${reserved}`);
  assert.deepEqual(await outputsOf(house), [['answer', 0]]);
  assert.match(await usageOf(house), /This session: unknown\n {2}1 call,/);
});

test('a stopped answer that began to call a tool keeps what was set aside: its arguments are not seen', async () => {
  await using house = await openTestHouse({
    script: () => stallsAfter(700, callsTool('terminal', { command: `echo ${'x'.repeat(2000)}` }, { usage })),
    settings: limitedTo({ per_session: 1 }),
  });
  const seen = house.when((event) => event.type === 'call.begun');
  await house.admit('hello');
  await seen;

  await house.admit('/stop');
  await house.whenIdle();

  assert.equal(await spentIn(house), (await entriesOf(house, 'step.asked'))[0]?.reserved?.amount);
});

test('an unusable answer is paid for: what it took is in the limits and in the sums', async () => {
  await using house = await openTestHouse({
    script: (_, index) =>
      says(index === 0 ? '' : 'ok', { usage: index === 0 ? { ...usage, prompt_tokens: 7000 } : usage }),
    settings: limitedTo({ per_session: 1 }),
  });

  assert.equal(await house.say('hello'), 'ok');

  assert.equal(await spentIn(house), 7500 + 1500);
  assert.deepEqual(await outputsOf(house), [
    ['answer', 7500],
    ['answer', 1500],
  ]);
});

test('an unusable answer that takes a limit past four fifths says so', async () => {
  const dear = { prompt_tokens: 450_000, completion_tokens: 10 };
  await using house = await openTestHouse({
    script: (_, index) => says(index === 0 ? '' : 'ok', { usage: index === 0 ? dear : usage }),
    settings: limitedTo({ per_session: 0.5 }),
  });

  await house.say('hello');

  assert.deepEqual(notices(house), ['$0.45 of the $0.50 for a session are spent']);
});

test('where the mark of four fifths was passed by what is set aside elsewhere, the next call says so, once', async () => {
  await using house = await openTestHouse({
    script: () => says('ok', { usage }),
    settings: limitedTo({ per_session: 0.5 }),
  });
  // As a lane of another process does while its own call is on its way.
  const scope = `session:${(await house.session()).id}`;
  await house.app.store.money.reserve(410_000, [{ scope, limit: 500_000 }]);

  assert.equal(await house.say('hello'), 'ok');
  assert.equal(await house.say('again'), 'ok');

  assert.deepEqual(notices(house), ['$0.41 of the $0.50 for a session are spent']);
});

test('what has no price of its own counts in the limits at the dearest price for reading, and not as the worst case', async () => {
  const cached = { prompt_tokens: 1000, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 900 } };
  await using house = await openTestHouse({
    script: () => says('ok', { usage: cached }),
    settings: { limits: { per_session: 1 }, prices: { 'custom:scripted': { input: 1, output: 1 } } },
  });

  await house.say('hello');
  await house.say('again');

  assert.equal(await spentIn(house), 2 * 1010);
  assert.match(await usageOf(house), /This session: unknown/);
});

test('the limit of a person and a day stops that person', async () => {
  await using house = await openTestHouse({
    script: () => says('ok', { usage }),
    settings: limitedTo({ per_person: 0.02 }),
  });

  assert.match(await house.say('hello'), /the limit for a person and day is \$0\.0200/);
  assert.equal(house.server.requests.length, 0);
});

test('a summary that a server refused is settled at nothing, and one that was written at what it cost', async () => {
  let refuses = true;
  await using long = await openLongHouse({
    answer: () => says(prose('answer', 700), { usage }),
    sumUp: () => (refuses ? failsWith(500) : says('SUMMARY OF IT.', { usage: { ...usage, prompt_tokens: 2000 } })),
    settings: limitedTo({ per_session: 5 }),
  });
  for (let count = 0; count < 4; count += 1) await long.house.say(`Saying ${count}.`);

  await long.house.say('/compact');

  assert.equal(sumUps(long.server).length, 2);
  assert.equal(await spentIn(long.house), 4 * 1500);
  refuses = false;
  for (let count = 0; count < 4; count += 1) await long.house.say(`Saying ${count}.`);
  await long.house.say('/compact');
  assert.equal(await spentIn(long.house), 8 * 1500 + 2500);
  assert.equal(answered(long.server).length, 8);
});

test('a limit that was lifted for a turn is lifted for its summaries too', async () => {
  const read = callsTool('terminal', { command: `node -e "console.log('line '.repeat(700))"` });
  await using long = await openLongHouse({
    window: 8000,
    answer: () => (sumUps(long.server).length > 0 ? says('Done.') : read),
    settings: { prices, limits: { per_turn: 0.001, when_reached: 'ask' } },
  });

  assert.equal(await long.house.say('Read it until you are done.'), 'Done.');

  const [compaction] = await compactionsOf(long.house);
  assert.equal(compaction?.writtenBy, 'custom:scripted');
});

test('an answer that a shutdown cut off counts as a call of unknown cost, once', async () => {
  await using house = await openTestHouse({
    script: (_, index) => (index === 0 ? stallsAfter(400, says('on and on', { usage })) : says('ok', { usage })),
    settings: limitedTo({ per_session: 1 }),
  });
  const seen = house.when((event) => event.type === 'text.delta');
  await house.admit('hello');
  await seen;

  await house.restart();
  house.gateway.resume((await house.session()).id);
  await house.whenIdle();

  assert.deepEqual(await outputsOf(house), [
    ['answer', 0],
    ['answer', 1500],
  ]);
});

for (const { known, before } of [
  { known: 'first has to be read', before: [] },
  { known: 'was known before', before: [['answer', 1500]] },
] as const) {
  test(`a call that a crash cut off counts as one of unknown cost when its turn goes on in a log that ${known}`, async () => {
    await using house = await openTestHouse({ script: () => says('ok', { usage }) });
    const { id: sessionId } = await house.session();
    for (const _ of before) await house.say('before');
    const runtime = 'custom:scripted' as RuntimeName;
    await house.app.store.turns.append({ sessionId, turnId: newId('turn', Date.now()) }, [
      { type: 'turn.admitted', parts: [textPart('hello')], person: 'owner' as PersonId },
      { type: 'turn.claimed', owner: 'node' as NodeId, epoch: 0 },
      { type: 'step.asked', runtime, prompt: '', messages: 1, digest: '' },
    ]);

    house.gateway.resume(sessionId);
    await house.whenIdle();

    assert.deepEqual(await outputsOf(house), [...before, ['answer', 0], ['answer', 1500]]);
  });
}

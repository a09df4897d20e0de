import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callsTool, failsWith, says } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import {
  answered,
  compactionsOf,
  contentsOf,
  messagesIn,
  notices,
  openLongHouse,
  prose,
  sumUps,
} from './compaction-setup.ts';
import type { Answerer } from './compaction-setup.ts';

const longReplies: Answerer = (_request, index) => says(`Reply ${index}. ${prose('word', 700)}`);
const tooLong = failsWith(413, { error: { message: 'the request is too large' } });

/** A server that takes no request of more than so many bytes. */
function takesAtMost(bytes: number): Answerer {
  return (request, index) => (request.body.length > bytes ? tooLong : longReplies(request, index));
}

async function nextsOf(house: Parameters<typeof compactionsOf>[0]): Promise<readonly string[]> {
  return (await house.log()).flatMap(({ entry }) => (entry.type === 'step.failed' ? [entry.next.type] : []));
}

test('a server that says the conversation is too long gets a shorter one, and the turn goes on', async () => {
  await using long = await openLongHouse({ answer: takesAtMost(16_000) });

  for (let count = 0; count < 4; count += 1) await long.house.say(`Saying ${count}.`);

  assert.deepEqual(await nextsOf(long.house), ['compact']);
  assert.equal((await compactionsOf(long.house)).length, 1);
  assert.match(long.house.shown.at(-1)?.text ?? '', /^Reply \d/);
  assert.match(contentsOf(answered(long.server).at(-1))[0] ?? '', /SUMMARY OF IT\./);
});

test('a server that is never content gets at most three shorter conversations in a turn, each shorter than the last', async () => {
  let isContent = true;
  await using long = await openLongHouse({
    answer: (request, index) => (isContent ? longReplies(request, index) : tooLong),
  });
  for (let count = 0; count < 12; count += 1) await long.house.say(`Saying ${count}.`);
  isContent = false;

  const reply = await long.house.say('One more.');

  const sizes = answered(long.server)
    .slice(12)
    .map(({ body }) => body.length);
  assert.match(reply, /^That did not work: the model's server answered 413: .*too long for the model/);
  assert.ok(sizes.length >= 3 && sizes.length <= 4, `${sizes.length} requests`);
  assert.deepEqual(
    sizes,
    sizes.toSorted((left, right) => right - left),
  );
  assert.ok(new Set(sizes).size === sizes.length, `sizes ${sizes.join(', ')}`);
});

test('what cannot be made shorter goes to the next runtime of the chain', async () => {
  await using large = await startModelServer(() => says('I can read it.'));
  await using long = await openLongHouse({
    answer: () => tooLong,
    settings: { fallback: { provider: 'custom', base_url: large.baseUrl, model: 'large' } },
  });

  const reply = await long.house.say(prose('line', 3000));

  assert.equal(reply, 'I can read it.');
  assert.deepEqual(await nextsOf(long.house), ['compact', 'fall-back']);
});

test('a conversation that was taken back is shortened again only when the server cannot take it', async () => {
  let most = 16_000;
  await using long = await openLongHouse({
    window: 8000,
    answer: (request, index) => takesAtMost(most)(request, index),
  });
  for (let count = 0; count < 4; count += 1) await long.house.say(`Saying ${count}.`);
  await long.house.say('/compact undo');
  most = 100_000;

  for (let count = 4; count < 8; count += 1) await long.house.say(`Saying ${count}.`);
  const whileTaken = (await compactionsOf(long.house)).length;
  most = 16_000;
  await long.house.say('One more.');

  assert.equal(whileTaken, 1);
  assert.equal((await compactionsOf(long.house)).length, 2);
  assert.deepEqual(await nextsOf(long.house), ['compact', 'compact']);
});

test('where compaction is switched off, nothing is shortened by itself, and a turn that does not fit says why', async () => {
  await using long = await openLongHouse({
    window: 4000,
    answer: takesAtMost(16_000),
    settings: { compression: { enabled: false } },
  });

  for (let count = 0; count < 3; count += 1) await long.house.say(`Saying ${count}.`);
  const reply = await long.house.say('One more.');

  assert.match(reply.slice(0, 300), /too long for the model, and compaction is switched off/);
  assert.deepEqual(await compactionsOf(long.house), []);
  assert.match(await long.house.say('/compact'), /^Shortened/);
});

test('two compactions that bought nothing are the last until one by hand or one that does', async () => {
  await using long = await openLongHouse({
    window: 8000,
    answer: (_request, index) => says(`Reply ${index}. ${prose('word', 350)}`),
    // Each summary is nearly as long as what it stands for.
    sumUp: () => says(prose('sum', 1350 + 250 * (sumUps(long.server).length - 1))),
  });

  for (let count = 0; count < 20; count += 1) await long.house.say(`Saying ${count}.`);
  const byItself = await compactionsOf(long.house);
  const logged = await long.house.logTypes();
  await long.house.say('/compact');
  for (let count = 20; count < 26; count += 1) await long.house.say(`Saying ${count}.`);

  assert.ok(byItself.slice(-2).every(({ before, after }) => after > before * 0.9));
  const behind = logged.slice(logged.lastIndexOf('context.compacted'));
  assert.ok(behind.filter((type) => type === 'step.asked').length >= 4, 'it goes on, too full as it is');
  assert.match(long.house.shown.at(-1)?.text ?? '', /^Reply \d/);
  assert.ok((await compactionsOf(long.house)).length > byItself.length + 1, 'one by hand lets the others go on');
});

test('a single long turn is shortened in the middle of its work, and what it was asked stays in sight word for word', async () => {
  const request = `Read the file twelve times, then stop. ${prose('because', 60)}`;
  const read = callsTool('terminal', { command: `node -e "console.log('line '.repeat(700))"` });
  await using long = await openLongHouse({
    window: 8000,
    answer: (seen) => (sumUps(long.server).length >= 2 && messagesIn(seen).length > 5 ? says('Done.') : read),
  });

  const reply = await long.house.say(request);

  assert.equal(reply, 'Done.');
  const compactions = await compactionsOf(long.house);
  assert.ok(compactions.length >= 2);
  for (const seen of answered(long.server)) assert.ok(contentsOf(seen).includes(request));
  const last = messagesIn(answered(long.server).at(-1));
  assert.deepEqual(
    last.slice(0, 4).map(({ role }) => role),
    ['user', 'user', 'assistant', 'tool'],
  );
  assert.ok(!compactions[0]?.text.includes(request), 'it is not said twice');
});

test('a limit of money is not passed by a summary: the program writes it then', async () => {
  const prices = { 'custom:scripted': { input: 1, output: 1, cache_read: 1, cache_write: 1 } };
  await using long = await openLongHouse({
    answer: longReplies,
    settings: { prices, limits: { per_session: 0.047 } },
  });
  for (let count = 0; count < 3; count += 1) await long.house.say(`Saying ${count}.`);

  await long.house.say('/compact');

  const [compaction] = await compactionsOf(long.house);
  assert.equal(compaction?.writtenBy, 'program');
  assert.equal(sumUps(long.server).length, 0);
});

test('a summary that takes a limit past four fifths says so', async () => {
  const prices = { 'custom:scripted': { input: 1, output: 1, cache_read: 1, cache_write: 1 } };
  const dear = { prompt_tokens: 5000, completion_tokens: 180_000 };
  await using long = await openLongHouse({
    answer: (request, index) => (index === 3 ? says(prose('word', 700), { usage: dear }) : longReplies(request, index)),
    sumUp: () => says('SUMMARY OF IT.', { usage: { prompt_tokens: 10_000, completion_tokens: 1 } }),
    settings: { prices, limits: { per_session: 0.25 } },
  });
  for (let count = 0; count < 4; count += 1) await long.house.say(`Saying ${count}.`);

  await long.house.say('/compact');

  assert.match(notices(long.house).at(-1) ?? '', /^\$0\.2\d of the \$0\.25 for .* are spent$/);
});

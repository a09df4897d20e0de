import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderMarkdown } from '../../src/cli/sessions/markdown.ts';
import { callsTool, failsWith, says, stallsAfter } from '../support/model-script.ts';
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
import type { Answerer, LongHouse } from './compaction-setup.ts';

const longReplies: Answerer = (_request, index) => says(`Reply ${index}. ${prose('word', 700)}`);

/** Says so many things, each of which the model answers at length. */
async function talk({ house }: LongHouse, times: number, from = 1): Promise<void> {
  for (let count = from; count < from + times; count += 1) await house.say(`Saying ${count}: keep to metric units.`);
}

async function causesOf({ house }: LongHouse): Promise<readonly (string | undefined)[]> {
  return (await house.log()).flatMap(({ entry }) => (entry.type === 'step.asked' ? [entry.change?.cause] : []));
}

test('a conversation that reaches its share of the window is shortened before the model is asked, and says so', async () => {
  await using long = await openLongHouse({ window: 8000, answer: longReplies });

  await talk(long, 6);

  const [compaction] = await compactionsOf(long.house);
  const request = answered(long.server).find(({ body }) => body.includes('SUMMARY OF IT.'));
  const contents = contentsOf(request);
  assert.ok(compaction !== undefined && compaction.after < compaction.before && compaction.before >= 5600);
  assert.equal(compaction.writtenBy, 'custom:scripted');
  assert.equal(contents[0], compaction.text);
  assert.match(compaction.text, /background and not a request/);
  assert.match(compaction.text, /1\. Saying 1: keep to metric units\.\n\n2\. Saying 2: keep to metric units\./);
  assert.match(contents.at(-1) ?? '', /^Saying \d: keep to metric units\.$/);
  assert.match(
    notices(long.house)[0] ?? '',
    /^shortening the conversation \(about [\d,]+ tokens\): it may have 5,600 here$/,
  );
  assert.deepEqual(
    (await causesOf(long)).filter((cause) => cause !== undefined),
    ['first', 'compacted'],
  );
});

test('a summary is asked for apart from the conversation: without tools, and with tool results cut to size', async () => {
  const wordy = `node -e "console.log('x'.repeat(9000))"`;
  await using long = await openLongHouse({
    window: 8000,
    answer: (request, index) =>
      request.body.includes('"role":"tool"') ? longReplies(request, index) : callsTool('terminal', { command: wordy }),
  });

  await talk(long, 5);

  const [request] = sumUps(long.server);
  assert.equal(request?.json?.['tools'], undefined);
  assert.equal(messagesIn(request).length, 1);
  const [record = ''] = contentsOf(request);
  assert.match(record, /USER: Saying 1: keep to metric units\./);
  assert.match(record, /CALL terminal \{"command":/);
  assert.match(record, /RESULT: x+\n\[… [\d,]+ characters are left out here …\]/);
  assert.ok(!record.includes('x'.repeat(2000)));
});

test('what the user said stays word for word through one compaction after another', async () => {
  await using long = await openLongHouse({ window: 8000, answer: longReplies });
  await long.house.say('Standing order: “never push to main” — é 日本.');

  await talk(long, 12);

  const compactions = await compactionsOf(long.house);
  assert.ok(compactions.length >= 3, `${compactions.length} compactions`);
  for (const { text } of compactions) assert.match(text, /1\. Standing order: “never push to main” — é 日本\.\n/);
  const second = sumUps(long.server)[1];
  assert.match(contentsOf(second)[0] ?? '', /<earlier-summary>\nSUMMARY OF IT\.\n<\/earlier-summary>/);
});

test('a message that is very long keeps its beginning and its end, and says what is missing', async () => {
  await using long = await openLongHouse({ window: 60_000, answer: () => says('Read.') });
  await long.house.say(`BEGIN ${prose('line', 6000)} END`);
  await long.house.say('and then?');
  await long.house.say('and then?');

  const reply = await long.house.say('/compact');

  const [compaction] = await compactionsOf(long.house);
  assert.match(reply, /^Shortened: about [\d,]+ → [\d,]+ tokens\. \/compact undo takes it back\.$/);
  assert.match(compaction?.text ?? '', /1\. BEGIN line0[^[]+\[… [\d,]+ characters are left out here …\][^[]+ END\n/);
});

test('/compact shortens at once, dwells on what it is told to, and leaves no message of its own', async () => {
  await using long = await openLongHouse({ answer: longReplies });
  await talk(long, 4);

  const reply = await long.house.say('/compact the tide tables');
  await long.house.say('Go on.');

  assert.match(reply, /^Shortened: about [\d,]+ → [\d,]+ tokens\. \/compact undo takes it back\.$/);
  assert.match(sumUps(long.server)[0]?.body ?? '', /Give most of the room to this: the tide tables/);
  const contents = contentsOf(answered(long.server).at(-1));
  assert.match(contents[0] ?? '', /SUMMARY OF IT\./);
  assert.equal(contents.at(-1), 'Go on.');
  assert.ok(contents.every((content) => !content.includes('/compact')));
});

test('what a summary took is counted as a compaction', async () => {
  await using long = await openLongHouse({ answer: longReplies });
  await talk(long, 4);

  await long.house.say('/compact');

  const { sessionId } = (await long.house.log())[0] ?? {};
  const records = await long.house.app.store.usages.list(sessionId === undefined ? {} : { sessionId });
  const [compaction] = await compactionsOf(long.house);
  assert.deepEqual(
    records.filter(({ purpose }) => purpose === 'compaction').map(({ runtime, usage }) => ({ runtime, usage })),
    [{ runtime: 'custom:scripted', usage: compaction?.usage }],
  );
  assert.ok((compaction?.usage.fresh ?? 0) > 0);
});

test('/compact undo gives the model the whole conversation again, and it stays so', async () => {
  await using long = await openLongHouse({ window: 8000, answer: longReplies });
  await talk(long, 6);
  const requests = answered(long.server);
  const before = requests[requests.findIndex(({ body }) => body.includes('SUMMARY OF IT.')) - 1];

  const reply = await long.house.say('/compact undo');
  await long.house.say('Go on.');
  await long.house.restart();
  await long.house.say('And on.');

  assert.match(reply, /^Taken back: /);
  const contents = contentsOf(answered(long.server).at(-1));
  const whole = contentsOf(before);
  assert.ok(whole.length > 2);
  assert.deepEqual(contents.slice(0, whole.length), whole);
  assert.ok(contents.every((content) => !content.includes('SUMMARY OF IT.')));
  assert.deepEqual(
    (await causesOf(long)).filter((cause) => cause !== undefined),
    ['first', 'compacted', 'restored'],
  );
  assert.equal((await compactionsOf(long.house)).length, 1);
});

test('an undo takes back one compaction at a time', async () => {
  await using long = await openLongHouse({ answer: longReplies });
  await talk(long, 4);
  await long.house.say('/compact');
  await talk(long, 4, 5);
  await long.house.say('/compact');
  const [first] = await compactionsOf(long.house);

  await long.house.say('/compact undo');
  await long.house.say('Go on.');

  assert.equal(contentsOf(answered(long.server).at(-1))[0], first?.text);
  assert.match(await long.house.say('/compact undo'), /^Taken back/);
  assert.match(await long.house.say('/compact undo'), /^Nothing to take back/);
});

test('where there is nothing worth shortening, /compact says so and records no compaction', async () => {
  await using long = await openLongHouse({ answer: () => says('Hi.') });
  await long.house.say('Hello.');

  const replies = [await long.house.say('/compact')];
  // What the user said is kept word for word, so a summary would save nothing.
  for (let count = 0; count < 6; count += 1) await long.house.say(prose('wish', 150));
  replies.push(await long.house.say('/compact'));

  for (const reply of replies) assert.match(reply, /^Nothing to shorten: /);
  assert.deepEqual(await compactionsOf(long.house), []);
  assert.equal(sumUps(long.server).length, 0);
});

test('a model that cannot write the summary is tried twice, and then the program writes it from the log and says so', async () => {
  await using long = await openLongHouse({
    answer: (request, index) =>
      request.body.includes('"role":"tool"')
        ? longReplies(request, index)
        : callsTool('write_file', { path: 'tide.txt', content: 'high at noon' }),
    sumUp: (_request, index) => (index % 2 === 0 ? failsWith(500) : says('Half a summ', { finish: 'length' })),
  });
  await talk(long, 5);

  await long.house.say('/compact');

  const [compaction] = await compactionsOf(long.house);
  assert.equal(compaction?.writtenBy, 'program');
  assert.match(compaction.summary, /- write_file: tide\.txt → done: /);
  assert.match(compaction.summary, /Files that were changed:\n- tide\.txt/);
  assert.match(compaction.summary, /The last answer:\nReply \d/);
  assert.equal(sumUps(long.server).length, 2);
  assert.match(notices(long.house).at(-1) ?? '', /^the program wrote the summary itself, from the log: /);
  const types = await long.house.logTypes();
  assert.equal(types.filter((type) => type === 'compaction.asked').length, 2);
});

test('the settings can name another model for the summaries; where it fails, the one that answers is asked', async () => {
  await using writer = await startModelServer([says('WRITTEN ELSEWHERE.'), failsWith(401)]);
  const fallback = { provider: 'custom', base_url: writer.baseUrl, model: 'writer' };
  await using long = await openLongHouse({
    answer: longReplies,
    settings: { fallback, compression: { model: 'custom:writer' } },
  });
  await talk(long, 4);

  await long.house.say('/compact');
  await talk(long, 4, 5);
  await long.house.say('/compact');

  const compactions = await compactionsOf(long.house);
  assert.deepEqual(
    compactions.map(({ summary, writtenBy }) => [summary, writtenBy]),
    [
      ['WRITTEN ELSEWHERE.', 'custom:writer'],
      ['SUMMARY OF IT.', 'custom:scripted'],
    ],
  );
});

test('a stop while the summary is written leaves the conversation as it was', async () => {
  await using long = await openLongHouse({ answer: longReplies, sumUp: () => stallsAfter(0, says('never')) });
  await talk(long, 4);
  const before = contentsOf(answered(long.server).at(-1));

  await long.house.admit('/compact');
  await long.server.whenStalled();
  await long.house.admit('/stop');
  await long.house.whenIdle();
  await long.house.say('Go on.');

  assert.deepEqual(await compactionsOf(long.house), []);
  assert.deepEqual(contentsOf(answered(long.server).at(-1)).slice(0, before.length), before);
});

test('what is said while the conversation is being shortened is answered in the same turn', async () => {
  await using long = await openLongHouse({ answer: longReplies, sumUp: () => stallsAfter(0, says('SHORT.')) });
  await talk(long, 4);

  await long.house.admit('/compact');
  await long.server.whenStalled();
  await long.house.admit('And what about Thursday?');
  long.server.release();
  await long.house.whenIdle();

  assert.match(long.house.shown.at(-1)?.text ?? '', /^Reply \d/);
  const contents = contentsOf(answered(long.server).at(-1));
  assert.match(contents[0] ?? '', /SHORT\./);
  assert.equal(contents.at(-1), 'And what about Thursday?');
});

test('what is said to a compaction that has nothing to do is answered too', async () => {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  await using long = await openLongHouse({
    answer: () => says('It is noon.'),
    faults: {
      async reach(point) {
        if (point !== 'claimed') return;
        reached.resolve();
        await gate.promise;
      },
    },
  });

  await long.house.admit('/compact');
  await reached.promise;
  await long.house.admit('What time is it?');
  gate.resolve();
  await long.house.whenIdle();

  assert.equal(long.house.shown.at(-1)?.text, 'It is noon.');
  assert.deepEqual(contentsOf(answered(long.server).at(-1)), ['What time is it?']);
});

test('compactions and undos that wait for each other are done in order, each as a turn of its own', async () => {
  await using long = await openLongHouse({ answer: longReplies, sumUp: () => stallsAfter(0, says('SHORT.')) });
  await talk(long, 4);

  await long.house.admit('/compact');
  await long.server.whenStalled();
  await long.house.admit('/compact undo');
  await long.house.admit('/compact');
  long.server.release();
  await long.server.whenStalled();
  long.server.release();
  await long.house.whenIdle();

  const results = (await long.house.log()).flatMap(({ entry }) =>
    entry.type === 'turn.settled' && entry.result.type === 'replied' ? [entry.result.text.slice(0, 9)] : [],
  );
  assert.deepEqual(results.slice(-3), ['Shortened', 'Taken bac', 'Shortened']);
});

test('a call id that a server used before the conversation was shortened is not used twice after an undo', async () => {
  const read = callsTool('read_file', { path: 'missing.txt' }, { id: 'call_0' });
  await using long = await openLongHouse({
    answer: (request, index) => (messagesIn(request).at(-1)?.['role'] === 'user' ? read : longReplies(request, index)),
  });
  await talk(long, 4);
  await long.house.say('/compact');
  await talk(long, 1, 5);

  await long.house.say('/compact undo');
  await long.house.say('Go on.');

  const ids = messagesIn(answered(long.server).at(-1)).flatMap((message) => message['tool_call_id'] ?? []);
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(ids.length, 6);
});

test('everything that was shortened stays in the log, in exports and in the search', async () => {
  await using long = await openLongHouse({ answer: longReplies });
  await long.house.say('The password of the lighthouse is Wintergreen.');
  await talk(long, 4);

  await long.house.say('/compact');

  const hits = await long.house.app.store.search.find('Wintergreen', 5);
  assert.deepEqual(
    hits.map(({ author }) => author),
    ['user'],
  );
  const exported = renderMarkdown(await long.house.session(), await long.house.log(), {});
  assert.match(exported, /^The password of the lighthouse is Wintergreen\.$/m);
  for (let count = 0; count < 5; count += 1) assert.match(exported, new RegExp(`^Reply ${count}\\. word0 `, 'm'));
});

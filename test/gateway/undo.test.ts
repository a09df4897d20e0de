import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isJsonObject } from '../../src/base/json.ts';
import type { Intake } from '../../src/gateway/intake.ts';
import type { PrefixCause } from '../../src/model/turn.ts';
import type { SeenRequest } from '../support/model-script.ts';
import { callsTool, delays, failsWith, says, stallsAfter } from '../support/model-script.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';

function contentsOf(request: SeenRequest | undefined): readonly string[] {
  const messages = request?.json?.['messages'];
  if (!Array.isArray(messages)) return [];
  return messages
    .slice(1)
    .map((each) => (isJsonObject(each) && typeof each['content'] === 'string' ? each['content'] : ''));
}

function toldBy(intake: Intake): string | undefined {
  return intake.type === 'commanded' ? intake.reply : intake.type === 'admitted' ? intake.told : intake.type;
}

async function causesOf(house: TestHouse): Promise<readonly (PrefixCause | undefined)[]> {
  return (await house.log()).flatMap(({ entry }) => (entry.type === 'step.asked' ? [entry.change?.cause] : []));
}

/** Answers the first request with "answer 1", and so on. */
const counting = (_request: SeenRequest, index: number): ReturnType<typeof says> => says(`answer ${index + 1}`);

test('/undo takes the last turn out of what the model reads, also after a restart, and the ledger says why', async () => {
  await using house = await openTestHouse({ script: counting });
  await house.say('one');
  await house.say('two');

  const reply = await house.say('/undo');
  await house.restart();
  await house.say('three');

  assert.match(reply, /^Taken back: “two” and its answer\. The model no longer reads them\./);
  assert.deepEqual(contentsOf(house.server.requests.at(-1)), ['one', 'answer 1', 'three']);
  assert.deepEqual(await causesOf(house), ['first', undefined, 'undone']);
});

test('what was taken back stays in the log and in the search', async () => {
  await using house = await openTestHouse({ script: counting });
  await house.say('a word like rhubarb');

  await house.say('/undo');

  const found = await house.app.store.search.find('rhubarb', 5);
  assert.equal(found.length, 1);
  assert.deepEqual(
    (await house.log()).flatMap(({ entry }) => (entry.type === 'step.finished' ? [entry.message.parts] : [])),
    [[{ type: 'text', text: 'answer 1' }]],
  );
});

test('each /undo takes one turn more, down to none', async () => {
  await using house = await openTestHouse({ script: counting });
  await house.say('one');
  await house.say('two');

  await house.say('/undo');
  await house.say('/undo');
  const none = await house.admit('/undo');
  await house.say('three');

  assert.equal(toldBy(none), 'There is nothing to take back here.');
  assert.deepEqual(contentsOf(house.server.requests.at(-1)), ['three']);
});

test('/undo takes back what ran last, not what was said last', async () => {
  await using house = await openTestHouse({
    script: (request, index) => (index === 0 ? stallsAfter(0, says('never')) : counting(request, index)),
  });
  await house.admit('one');
  await house.server.whenStalled();
  await house.admit('/queue waited');
  await house.admit('/interrupt came first');
  await house.whenIdle();

  await house.say('/undo');
  await house.say('next');

  assert.deepEqual(contentsOf(house.server.requests.at(-1)), ['one', 'came first', 'answer 2', 'next']);
});

test('a turn that a summary stands for is not taken back, and the reply says what to do first', async () => {
  const long = 'word '.repeat(2000);
  await using house = await openTestHouse({
    script: (request) => says(request.body.includes('"tools"') ? long : 'Summary.'),
    settings: { compression: { enabled: false, target_ratio: 0.05, protect_last_n: 1 } },
  });
  for (const text of ['one', 'two', 'three', 'four']) await house.say(text);
  assert.match(await house.say('/compact'), /^Shortened/);

  const replies: string[] = [];
  for (let count = 0; count < 4; count += 1) replies.push(await house.say('/undo'));
  const isRefused = replies.at(-1) ?? '';
  await house.say('/compact undo');
  const afterwards = await house.say('/undo');

  assert.match(
    isRefused,
    /^Nothing was taken back: that turn was shortened together with others\. \/compact undo first/,
  );
  assert.match(afterwards, /^Taken back/);
});

test('/retry says the last message again in place of the turn before, whose answer the model no longer reads', async () => {
  await using house = await openTestHouse({ script: counting });
  await house.say('one');
  await house.say('two');

  const intake = await house.admit('/retry');
  await house.whenIdle();
  await house.say('/retry');
  await house.say('three');

  assert.equal(toldBy(intake), 'Once more, in place of the last turn: “two”.');
  assert.deepEqual(house.server.requests.slice(2).map(contentsOf), [
    ['one', 'answer 1', 'two'],
    ['one', 'answer 1', 'two'],
    ['one', 'answer 1', 'two', 'answer 4', 'three'],
  ]);
  // The first message was read before, and the second is the same: nothing has to be read anew.
  assert.deepEqual(await causesOf(house), ['first', undefined, undefined, undefined, undefined]);
});

test('/retry says again what was added to the turn, and says so; a second one says no more', async () => {
  const gate = Promise.withResolvers<void>();
  await using house = await openTestHouse({
    script: (request, index) => (index === 0 ? delays(gate.promise, says('drawn')) : counting(request, index)),
  });
  await house.admit('draw a cat');
  await house.server.whenRequested(1);
  await house.admit('in blue');
  gate.resolve();
  await house.whenIdle();

  const intake = await house.admit('/retry');
  await house.whenIdle();
  await house.say('/retry');

  assert.equal(
    toldBy(intake),
    'Once more, in place of the last turn: “draw a cat”, with what was added to it: “in blue”.',
  );
  const [, , ...retried] = house.server.requests;
  assert.deepEqual(retried.map(contentsOf), [['draw a cat\nin blue'], ['draw a cat\nin blue']]);
});

test('/retry tells the model what ran the first time, so that it decides anew, and asks for consent again', async () => {
  const command = 'echo ran >> ledger';
  await using house = await openTestHouse({
    script: [callsTool('terminal', { command }), says('Wrong.'), says('I will not run it again.'), says('Still not.')],
  });
  await house.say('run it');

  const intake = await house.admit('/retry');
  await house.whenIdle();
  await house.say('/retry');

  assert.match(toldBy(intake) ?? '', /What its tools did stays done, and the model is told of it\.$/);
  for (const request of house.server.requests.slice(2)) {
    const [said = '', ...others] = contentsOf(request);
    assert.match(
      said,
      /^run it\n*\[An earlier try at this was taken back.*\n- terminal \{"command":"echo ran >> ledger"\}/,
    );
    assert.deepEqual(others, []);
  }
  assert.equal(await readFile(join(house.workdir, 'ledger'), 'utf8'), 'ran\n');
});

test('/retry after a failure runs the message again', async () => {
  await using house = await openTestHouse({ script: [failsWith(401), says('There you are.')] });
  assert.match(await house.say('hello'), /^That did not work/);

  const reply = await house.say('/retry');

  assert.equal(reply, 'There you are.');
  assert.deepEqual(contentsOf(house.server.requests.at(-1)), ['hello']);
});

for (const command of ['undo', 'retry']) {
  test(`/${command} waits for nobody: while a turn runs it does nothing and says so`, async () => {
    const gate = Promise.withResolvers<void>();
    await using house = await openTestHouse({ script: [delays(gate.promise, says('done'))] });
    await house.admit('go');
    await house.server.whenRequested(1);

    const intake = await house.admit(`/${command}`);
    gate.resolve();
    await house.whenIdle();

    assert.equal(toldBy(intake), `A turn is running here. /stop it first, then /${command}.`);
    assert.ok(!(await house.logTypes()).includes('context.undone'));
  });
}

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { newId } from '../../src/base/ids.ts';
import type { PersonId } from '../../src/base/ids.ts';
import type { Intake } from '../../src/gateway/intake.ts';
import { textPart } from '../../src/model/message.ts';
import { callsTool, callsTools, says } from '../support/model-script.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';

function toldBy(intake: Intake): string {
  return intake.type === 'commanded' ? intake.reply : intake.type;
}

function ledgerOf(house: TestHouse): Promise<string> {
  return readFile(join(house.workdir, 'ledger'), 'utf8').catch(() => '');
}

const command = 'echo ran >> ledger';

for (const [typed, told, ran] of [
  ['/approve', 'Allowed: echo ran >> ledger', 'ran\n'],
  ['/deny', 'Denied: echo ran >> ledger', ''],
] as const) {
  test(`${typed} answers the question that is open in this chat`, async () => {
    await using house = await openTestHouse({
      script: [callsTool('terminal', { command }), says('Done.')],
      consent: 'silence',
    });
    const asked = house.whenAsked();
    await house.admit('run it');
    await asked;

    const status = toldBy(await house.admit('/status'));
    const reply = toldBy(await house.admit(typed));
    await house.whenIdle();

    assert.match(status, /^state {4}waits for your consent \(\/approve or \/deny\): echo ran >> ledger$/m);
    assert.equal(reply, told);
    assert.equal(await ledgerOf(house), ran);
    const answers = (await house.log()).flatMap(({ entry }) => (entry.type === 'approval.answered' ? [entry.by] : []));
    assert.deepEqual(answers, ['owner']);
    assert.equal(toldBy(await house.admit(typed)), 'Nothing is asked here.');
  });
}

test('of two questions in a row /approve allows one at a time, and half of the word allows nothing', async () => {
  const calls = callsTools([
    { name: 'terminal', args: { command: 'echo one >> ledger' }, id: 'c1' },
    { name: 'terminal', args: { command: 'echo two >> ledger' }, id: 'c2' },
  ]);
  await using house = await openTestHouse({ script: [calls, says('Done.')], consent: 'silence' });
  const first = house.whenAsked();
  await house.admit('run them');
  await first;

  const half = toldBy(await house.admit('/app'));
  const second = house.whenAsked();
  await house.admit('/approve');
  await second;
  await house.admit('/deny');
  await house.whenIdle();

  assert.equal(half, 'There is no command /app. Did you mean /approve? /help lists them all.');
  assert.equal(await ledgerOf(house), 'one\n');
});

test('/yolo runs calls without a question in this session, and the log says that it did', async () => {
  await using house = await openTestHouse({
    script: [callsTool('terminal', { command }), says('Done.')],
    consent: 'silence',
  });
  const told = toldBy(await house.admit('/yolo on'));

  await house.say('run it');

  assert.match(told, /^From now on nothing is asked in this session/);
  assert.equal(await ledgerOf(house), 'ran\n');
  const answers = (await house.log()).flatMap(({ entry }) => (entry.type === 'approval.answered' ? [entry] : []));
  assert.deepEqual(
    answers.map(({ by, verdict, rule }) => ({ by, verdict, rule })),
    [{ by: 'owner', verdict: 'approved', rule: 'yolo' }],
  );
  assert.ok(!house.shown.some(({ kind }) => kind === 'question'));
  assert.match(toldBy(await house.admit('/status')), /^yolo {5}on/m);
  const programLog = await readFile(join(house.home, 'logs', 'talaria.log'), 'utf8');
  assert.match(programLog, /yolo was switched on.*"person":"owner"/);
});

test('/yolo alone says whether it is on and how to switch it, and switches nothing', async () => {
  await using house = await openTestHouse({ script: [] });

  const off = toldBy(await house.admit('/yolo'));
  const stillOff = toldBy(await house.admit('/yolo'));
  await house.admit('/yolo on');
  const on = toldBy(await house.admit('/yolo'));

  assert.match(off, /^It is off: .*\/yolo on /);
  assert.equal(stillOff, off);
  assert.match(on, /^It is on: .*\/yolo off /);
});

test('a disaster is refused with /yolo on, too', async () => {
  await using house = await openTestHouse({ script: [callsTool('terminal', { command: 'rm -rf /' }), says('No.')] });
  await house.admit('/yolo on');

  await house.say('clean up');

  const outcomes = (await house.log()).flatMap(({ entry }) =>
    entry.type === 'tool.settled' ? [entry.outcome.type] : [],
  );
  assert.deepEqual(outcomes, ['refused']);
});

test('/yolo does not pass a limit of money', async () => {
  await using house = await openTestHouse({
    script: () => says('never'),
    consent: 'denied',
    settings: {
      limits: { per_turn: 0, when_reached: 'ask' },
      prices: { 'custom:scripted': { input: 1, output: 1, cache_read: 1, cache_write: 1 } },
    },
  });
  await house.admit('/yolo on');

  await house.say('go');

  assert.equal(house.shown.filter(({ kind }) => kind === 'question').length, 1);
  assert.equal(house.server.requests.length, 0);
});

for (const [what, end] of [
  ['/yolo off', (house: TestHouse) => house.admit('/yolo off')],
  ['a restart', (house: TestHouse) => house.restart()],
  ['/new, and a return to the session', returnAfterNew],
] as const) {
  test(`/yolo ends with ${what}`, async () => {
    await using house = await openTestHouse({ script: () => says('Hello.') });
    await house.say('hi');
    await house.admit('/yolo on');

    await end(house);

    assert.doesNotMatch(toldBy(await house.admit('/status')), /yolo/);
  });
}

async function returnAfterNew(house: TestHouse): Promise<void> {
  const { id } = await house.session();
  await house.admit('/new');
  await house.admit(`/resume ${id}`);
}

test('a session that was left by /new asks again, whatever runs in it afterwards', async () => {
  await using house = await openTestHouse({
    script: [says('Hello.'), callsTool('terminal', { command }), says('Done.')],
    consent: 'denied',
  });
  await house.say('hi');
  await house.admit('/yolo on');
  const { id: sessionId } = await house.session();
  await house.admit('/new');

  const turn = { sessionId, turnId: newId('turn', Date.now()) };
  const parts = [textPart('run it')];
  await house.app.store.turns.append(turn, [{ type: 'turn.admitted', parts, person: 'owner' as PersonId }]);
  house.gateway.resume(sessionId);
  await house.gateway.whenIdle(sessionId);

  assert.equal(await ledgerOf(house), '');
});

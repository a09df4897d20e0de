import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isJsonObject } from '../../src/base/json.ts';
import type { Faults } from '../../src/model/faults.ts';
import { textPart } from '../../src/model/message.ts';
import { callsTool, callsTools, delays, failsWith, says, stallsAfter } from '../support/model-script.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';

function rolesOfLastRequest(house: TestHouse): readonly unknown[] {
  const messages = house.server.requests.at(-1)?.json?.['messages'];
  return Array.isArray(messages)
    ? messages.map((message) => (isJsonObject(message) ? message['role'] : undefined))
    : [];
}

test('a stop during the answer closes the connection and keeps what was seen of it', async () => {
  await using house = await openTestHouse({
    script: [stallsAfter(400, says('one two three four five six seven eight')), says('Ready.')],
  });

  await house.admit('count');
  await house.when((event) => event.type === 'text.delta');
  await house.server.whenStalled();
  await house.admit('/stop');
  await house.whenIdle();
  await house.server.whenDisconnected();
  const reply = await house.say('go on');

  assert.equal(reply, 'Ready.');
  const kept = (await house.log()).flatMap(({ entry }) => (entry.type === 'step.finished' ? [entry.finish] : []));
  assert.deepEqual(kept, ['interrupted', 'stop']);
  assert.deepEqual(rolesOfLastRequest(house), ['system', 'user', 'assistant', 'user']);
});

test('a stop during a tool gives every open call an outcome, and the history stays valid', async () => {
  const calls = callsTools([
    { name: 'terminal', args: { command: 'echo started > ledger; sleep 600; echo late >> ledger' }, id: 'c1' },
    { name: 'terminal', args: { command: 'echo never >> ledger' }, id: 'c2' },
  ]);
  await using house = await openTestHouse({ script: [calls, says('Ready.')] });

  await house.admit('work');
  await house.whenLogged('tool.called');
  await house.admit('/stop');
  await house.whenIdle();
  const reply = await house.say('what now?');

  assert.equal(reply, 'Ready.');
  const outcomes = (await house.log()).flatMap(({ entry }) =>
    entry.type === 'tool.settled' ? [[entry.callId, entry.outcome.type]] : [],
  );
  assert.deepEqual(outcomes, [
    ['c1', 'interrupted'],
    ['c2', 'interrupted'],
  ]);
  assert.deepEqual(rolesOfLastRequest(house), ['system', 'user', 'assistant', 'tool', 'tool', 'user']);
  assert.ok(!(await readFile(join(house.workdir, 'ledger'), 'utf8').catch(() => '')).includes('never'));
});

test('a stop while a question is open ends the turn, and the command never runs', async () => {
  const command = callsTool('terminal', { command: 'echo ran >> ledger' }, { id: 'c1' });
  await using house = await openTestHouse({ script: [command], consent: 'silence' });

  await house.admit('work');
  await house.whenLogged('approval.asked');
  await house.admit('/stop');
  await house.whenIdle();

  assert.equal(house.shown.at(-1)?.text, 'Stopped.');
  await assert.rejects(readFile(join(house.workdir, 'ledger')), { code: 'ENOENT' });
});

test('what is said after a stop, while a deaf tool still runs, is a turn of its own', async () => {
  const deaf = callsTool('terminal', { command: "trap '' TERM; echo $$ > pid; echo deaf; sleep 600" }, { id: 'c1' });
  await using house = await openTestHouse({ script: [deaf, says('Something else then.')] });

  await house.admit('work');
  await house.when((event) => event.type === 'tool.progress');
  await house.admit('/stop');
  await house.admit('do something else instead');
  await house.whenIdle();

  assert.equal(house.shown.at(-1)?.text, 'Something else then.');
  const pid = Number(await readFile(join(house.workdir, 'pid'), 'utf8'));
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  const types = await house.logTypes();
  assert.equal(types.filter((type) => type === 'turn.admitted').length, 2);
});

test('a stop that comes between two turns is meant for the second', async () => {
  let isFirst = true;
  const faults: Faults = {
    async reach(point) {
      if (point !== 'reply-sending' || !isFirst) return;
      isFirst = false;
      await house.admit('the second');
      await house.admit('/stop');
    },
  };
  await using house: TestHouse = await openTestHouse({
    script: (_request, index) => (index === 0 ? says('One.') : stallsAfter(0, says('late'))),
    faults,
  });

  await house.say('the first');

  assert.equal(house.shown.at(-1)?.text, 'Stopped.');
});

test('steering while the model cannot be reached is carried by one more request before the turn fails', async () => {
  const gate = Promise.withResolvers<void>();
  const refused = failsWith(401, { error: { message: 'no' } });
  await using house = await openTestHouse({ script: [delays(gate.promise, refused), says('Now it works.')] });

  await house.admit('hello');
  await house.server.whenRequested(1);
  await house.admit('are you there?');
  gate.resolve();
  await house.whenIdle();

  assert.equal(house.shown.at(-1)?.text, 'Now it works.');
});

test('a shutdown leaves a running command to run on, and the next start waits for what becomes of it', async () => {
  const waiting = 'echo begun >> ledger; echo begun; while [ ! -e go ]; do sleep 0.01; done; echo ended';
  const command = callsTool('terminal', { command: waiting }, { id: 'c1' });
  await using house = await openTestHouse({ script: [command, says('I see.')] });

  await house.admit('work');
  await house.when((event) => event.type === 'tool.progress');
  await house.restart();
  house.gateway.resume((await house.session()).id);
  await writeFile(join(house.workdir, 'go'), '');
  await house.whenIdle();

  const outcomes = (await house.log()).flatMap(({ entry }) => (entry.type === 'tool.settled' ? [entry.outcome] : []));
  assert.deepEqual(outcomes, [{ type: 'done', parts: [textPart('begun\nended')] }]);
  assert.equal(await readFile(join(house.workdir, 'ledger'), 'utf8'), 'begun\n');
});

test('steering reaches the model with the next tool result', async () => {
  const command = callsTool('terminal', { command: 'while [ ! -e go ]; do sleep 0.01; done' }, { id: 'c1' });
  await using house = await openTestHouse({ script: [command, says('Faster it is.')] });

  await house.admit('work');
  await house.whenLogged('tool.called');
  await house.admit('faster, please');
  await writeFile(join(house.workdir, 'go'), '');
  await house.whenIdle();

  const messages = house.server.requests.at(-1)?.json?.['messages'];
  const last = Array.isArray(messages) ? messages.at(-1) : undefined;
  assert.ok(isJsonObject(last) && last['role'] === 'tool');
  assert.match(JSON.stringify(last['content']), /<user-message>\\nfaster, please\\n<\/user-message>"$/);
  assert.equal(house.shown.at(-1)?.text, 'Faster it is.');
});

test('steering that arrives during the last answer is answered in the same turn', async () => {
  const gate = Promise.withResolvers<void>();
  await using house = await openTestHouse({
    script: [delays(gate.promise, says('Paris.')), says('About two million.')],
  });

  await house.admit('the capital of France?');
  await house.server.whenRequested(1);
  await house.admit('and how many live there?');
  gate.resolve();
  await house.whenIdle();

  assert.equal(house.shown.at(-1)?.text, 'About two million.');
  const types = await house.logTypes();
  assert.equal(types.filter((type) => type === 'turn.admitted').length, 1);
  assert.equal(types.filter((type) => type === 'turn.settled').length, 1);
});

test('steering that arrives in the moment before the turn would settle is answered, not lost', async () => {
  let isFirst = true;
  const faults: Faults = {
    async reach(point) {
      if (point !== 'answer-streaming' || !isFirst) return;
      isFirst = false;
      await house.admit('and how many live there?');
    },
  };
  await using house: TestHouse = await openTestHouse({ script: [says('Paris.'), says('About two million.')], faults });

  const reply = await house.say('the capital of France?');

  assert.equal(reply, 'About two million.');
  assert.equal((await house.logTypes()).filter((type) => type === 'turn.settled').length, 1);
});

test('what arrives in the moment after the turn has settled is a turn of its own, not lost', async () => {
  let isFirst = true;
  const faults: Faults = {
    async reach(point) {
      if (point !== 'turn-settled' || !isFirst) return;
      isFirst = false;
      await house.admit('and how many live there?');
    },
  };
  await using house: TestHouse = await openTestHouse({ script: [says('Paris.'), says('About two million.')], faults });

  await house.say('the capital of France?');

  assert.deepEqual(
    house.shown.filter(({ kind }) => kind === 'reply').map(({ text }) => text),
    ['Paris.', 'About two million.'],
  );
  const types = await house.logTypes();
  assert.deepEqual(
    ['turn.admitted', 'turn.steered', 'turn.settled'].map((type) => types.filter((each) => each === type).length),
    [2, 0, 2],
  );
});

test('a shutdown leaves the turn unsettled, and the next start goes on with it', async () => {
  await using house = await openTestHouse({ script: [stallsAfter(0, says('lost')), says('Found again.')] });

  await house.admit('hello');
  await house.server.whenStalled();
  await house.restart();
  house.gateway.resume((await house.session()).id);
  await house.whenIdle();

  assert.equal(house.shown.at(-1)?.text, 'Found again.');
  assert.deepEqual(await house.logTypes(), [
    'turn.admitted',
    'turn.claimed',
    'step.asked',
    'turn.released',
    'turn.claimed',
    'step.asked',
    'step.finished',
    'turn.settled',
  ]);
});

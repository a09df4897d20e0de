import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { NodeId, PersonId } from '../../src/base/ids.ts';
import { isJsonObject } from '../../src/base/json.ts';
import { ManualClock } from '../support/manual-clock.ts';
import type { SeenRequest } from '../support/model-script.ts';
import { callsTool, delays, says, stallsAfter } from '../support/model-script.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';

function inboundWithId(
  house: TestHouse,
  messageId: string,
  text: string,
): Parameters<TestHouse['gateway']['takeIn']>[0] {
  const key = { platform: 'terminal', account: 'local', chat: 'house', messageId, revision: 0 };
  const person = 'owner' as PersonId;
  return {
    type: 'message',
    key,
    address: house.address,
    person,
    parts: [{ type: 'text', text }],
    workdir: house.workdir,
  };
}

function lastWordOf(request: SeenRequest): string {
  const messages = request.json?.['messages'];
  const last = Array.isArray(messages) ? messages.at(-1) : undefined;
  return isJsonObject(last) && typeof last['content'] === 'string' ? last['content'] : '';
}

test('a message that is delivered twice is answered once, also after a restart', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });

  await house.gateway.takeIn(inboundWithId(house, 'm1', 'hi'));
  await house.whenIdle();
  const again = await house.gateway.takeIn(inboundWithId(house, 'm1', 'hi'));
  await house.restart();
  const later = await house.gateway.takeIn(inboundWithId(house, 'm1', 'hi'));

  assert.deepEqual(again, { type: 'ignored', reason: 'duplicate' });
  assert.deepEqual(later, { type: 'ignored', reason: 'duplicate' });
  assert.equal(house.server.requests.length, 1);
});

test('a message that joins a running turn and is delivered again is read once, also after a restart', async () => {
  await using house = await openTestHouse({ script: [stallsAfter(0, says('lost')), says('Both done.')] });
  await house.gateway.takeIn(inboundWithId(house, 'm1', 'water the plants'));
  await house.server.whenStalled();

  const taken = await house.gateway.takeIn(inboundWithId(house, 'm2', 'and the lawn'));
  const again = await house.gateway.takeIn(inboundWithId(house, 'm2', 'and the lawn'));
  await house.restart();
  const later = await house.gateway.takeIn(inboundWithId(house, 'm2', 'and the lawn'));
  house.gateway.resume((await house.session()).id);
  await house.whenIdle();

  assert.equal(taken.type, 'steered');
  assert.deepEqual(
    [again, later],
    Array.from({ length: 2 }, () => ({ type: 'ignored', reason: 'duplicate' })),
  );
  const said = (await house.log()).flatMap(({ entry }) => (entry.type === 'turn.steered' ? entry.parts : []));
  assert.deepEqual(said, [{ type: 'text', text: 'and the lawn' }]);
});

test('messages admitted in the same moment are answered in the order they came', async () => {
  const clock = new ManualClock(Date.now());
  await using house = await openTestHouse({ script: (request) => says(lastWordOf(request)), clock });

  // Taken in before the lane has begun a turn, so that each becomes a turn of its own.
  await Promise.all(['a', 'b', 'c', 'd'].map((text) => house.gateway.takeIn(inboundWithId(house, text, text))));
  await house.whenIdle();

  const admitted = (await house.log()).flatMap(({ entry }) => (entry.type === 'turn.admitted' ? entry.parts : []));
  const replies = house.shown.filter(({ kind }) => kind === 'reply').map(({ text }) => text);
  assert.deepEqual(
    replies,
    admitted.map((part) => (part.type === 'text' ? part.text : '')),
  );
  assert.equal(replies.length, 4);
});

test('a recognised command never reaches the model', async () => {
  await using house = await openTestHouse({ script: [] });

  const intake = await house.gateway.takeIn(inboundWithId(house, 'm1', '/help'));

  assert.equal(intake.type, 'commanded');
  assert.match(intake.type === 'commanded' ? intake.reply : '', /\/stop .*\n[\s\S]*\/new, /);
  assert.equal(house.server.requests.length, 0);
});

test('an unknown command gets a helpful line, and a path is no command', async () => {
  await using house = await openTestHouse({ script: [says('A file.')] });

  const unknown = await house.gateway.takeIn(inboundWithId(house, 'm1', '/frobnicate now'));
  const reply = await house.say('/etc/hosts is what?');

  assert.deepEqual(unknown, { type: 'commanded', reply: 'There is no command /frobnicate. /help lists them all.' });
  assert.equal(reply, 'A file.');
});

test('/new begins a session that knows nothing of the old one, which stays', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });
  await house.say('the first');
  const old = await house.session();

  await house.admit('/new');
  await house.say('the second');

  const current = await house.session();
  assert.notEqual(current.id, old.id);
  assert.ok(!house.server.requests[1]?.body.includes('the first'));
  assert.equal((await house.app.store.turns.after(old.id, 0)).length, 5);
});

test('what is unsafe is asked for with the full command, and runs once it is allowed', async () => {
  const command = 'echo ran >> ledger && echo a-rather-long-tail-that-must-be-visible';
  await using house = await openTestHouse({
    script: [callsTool('terminal', { command }), says('Done.')],
    consent: 'approved',
  });

  await house.say('run it');

  const question = house.shown.find(({ kind }) => kind === 'question');
  assert.ok(question?.text.includes(command));
  assert.equal(await readFile(join(house.workdir, 'ledger'), 'utf8'), 'ran\n');
});

test('an answer is bound to the command and to the folder that it runs in', async () => {
  const commands = ['touch made', 'touch made', 'mkdir sub && cd sub', 'touch made'];
  await using house = await openTestHouse({
    script: [...commands.map((command) => callsTool('terminal', { command })), says('Done.')],
    consent: 'approved',
  });

  await house.say('make it, here and there');

  const asked = (await house.log()).flatMap(({ entry }) => (entry.type === 'approval.asked' ? [entry] : []));
  const here = `touch made\nin ${house.workdir}`;
  assert.deepEqual(
    asked.map(({ question }) => question),
    [here, here, `mkdir sub && cd sub\nin ${house.workdir}`, `${here}/sub`],
  );
  const [first, again, , inSub] = asked.map(({ digest }) => digest);
  assert.equal(again, first);
  assert.notEqual(inSub, first);
});

for (const [consent, reason] of [
  ['denied', /REFUSED: the user did not allow this/],
  ['nobody', /REFUSED: it needs the consent of the user, and nobody could be asked here/],
] as const) {
  test(`what is unsafe does not run when consent is ${consent}, and the model is told not to try again`, async () => {
    await using house = await openTestHouse({
      script: [callsTool('terminal', { command: 'echo ran >> ledger' }), says('Understood.')],
      consent,
    });

    const reply = await house.say('run it');

    assert.equal(reply, 'Understood.');
    assert.match(house.server.requests[1]?.body ?? '', reason);
    await assert.rejects(readFile(join(house.workdir, 'ledger')), { code: 'ENOENT' });
  });
}

test('a disaster is refused without asking', async () => {
  await using house = await openTestHouse({
    script: [callsTool('terminal', { command: 'rm -rf /' }), says('Understood.')],
    consent: 'approved',
  });

  await house.say('clean up');

  assert.deepEqual(
    house.shown.map(({ kind }) => kind),
    ['reply'],
  );
  assert.match(house.server.requests[1]?.body ?? '', /REFUSED: /);
});

test('an answer that names another command allows nothing', async () => {
  const asked = Promise.withResolvers<string>();
  await using house = await openTestHouse({
    script: [callsTool('terminal', { command: 'echo ran >> ledger' }), says('Done.')],
    consent: (question) => {
      asked.resolve(question.digest ?? '');
      return 'denied';
    },
  });

  await house.admit('run it');
  await asked.promise;
  const stray = await house.gateway.takeIn({
    type: 'answer',
    address: house.address,
    person: 'owner' as PersonId,
    digest: 'another',
    verdict: 'approved',
  });
  await house.whenIdle();

  assert.deepEqual(stray, { type: 'ignored', reason: 'nothing-asked' });
  await assert.rejects(readFile(join(house.workdir, 'ledger')), { code: 'ENOENT' });
});

test('one agent serves every turn of a session over one connection', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });

  for (const text of ['one', 'two', 'three']) await house.say(text);

  assert.deepEqual(new Set(house.server.requests.map(({ connection }) => connection)), new Set([1]));
});

test('a stop that comes before the turn has begun still stops it', async () => {
  await using house = await openTestHouse({ script: () => stallsAfter(0, says('late')) });

  await house.admit('count');
  await house.admit('/stop');
  await house.whenIdle();

  assert.equal(house.shown.at(-1)?.text, 'Stopped.');
});

test('a watcher that throws does not disturb the turn', async () => {
  await using house = await openTestHouse({ script: [says('Hello.')] });
  using _watching = house.gateway.watch(house.address, () => {
    throw new Error('broken glasses');
  });

  const reply = await house.say('hi');

  assert.equal(reply, 'Hello.');
});

test('/new does not leave a turn that runs: it says how to end it first', async () => {
  await using house = await openTestHouse({ script: [stallsAfter(0, says('lost')), says('Here again.')] });
  await house.admit('hello');
  await house.server.whenStalled();
  const before = (await house.session()).id;

  const refused = await house.admit('/new');
  const during = (await house.session()).id;
  await house.admit('/stop');
  await house.whenIdle();
  await house.admit('/new');

  assert.deepEqual(refused, { type: 'commanded', reply: 'A turn is running here. /stop it first, then /new.' });
  assert.equal(during, before);
  assert.notEqual((await house.session()).id, before);
});

test('/new closes the client of the session that it leaves', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });
  await house.say('hi');

  await house.admit('/new');
  await house.server.whenDisconnected();

  assert.equal(house.server.openConnections, 0);
});

test('an answer from another chat allows nothing', async () => {
  await using house = await openTestHouse({
    script: [callsTool('terminal', { command: 'echo ran >> ledger' }), says('Done.')],
    consent: 'silence',
  });

  await house.admit('run it');
  await house.whenLogged('approval.asked');
  const digest =
    (await house.log()).flatMap(({ entry }) => (entry.type === 'approval.asked' ? [entry.digest] : []))[0] ?? '';
  const elsewhere = { ...house.address, chat: 'another' };
  const stray = await house.gateway.takeIn({
    type: 'answer',
    address: elsewhere,
    person: 'owner' as PersonId,
    digest,
    verdict: 'approved',
  });
  await house.admit('/stop');
  await house.whenIdle();

  assert.deepEqual(stray, { type: 'ignored', reason: 'nothing-asked' });
  await assert.rejects(readFile(join(house.workdir, 'ledger')), { code: 'ENOENT' });
});

test('a turn whose session was taken over elsewhere writes nothing more', async () => {
  const gate = Promise.withResolvers<void>();
  await using house = await openTestHouse({ script: [delays(gate.promise, says('too late'))] });
  await house.admit('hello');
  await house.server.whenRequested(1);
  const session = await house.session();
  const lease = `session:${session.id}`;
  const owner = (await house.log()).flatMap(({ entry }) => (entry.type === 'turn.claimed' ? [entry.owner] : []))[0];
  assert.ok(owner);

  await house.app.store.leases.release(lease, owner);
  await house.app.store.leases.acquire(lease, 'nod_elsewhere' as NodeId, 60_000);
  const before = await house.logTypes();
  gate.resolve();
  await house.whenIdle();

  assert.deepEqual(await house.logTypes(), before);
  assert.match(house.shown.at(-1)?.text ?? '', /^This turn was put off: session:.* was taken over/);
});

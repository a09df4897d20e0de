import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject } from '../../src/base/json.ts';
import type { Intake } from '../../src/gateway/intake.ts';
import type { Faults } from '../../src/model/faults.ts';
import type { SeenRequest } from '../support/model-script.ts';
import { callsTool, delays, failsWith, says, stallsAfter } from '../support/model-script.ts';
import { picture } from '../support/pictures.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';

function saidIn(request: SeenRequest | undefined): readonly string[] {
  const messages = request?.json?.['messages'];
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((message) =>
    isJsonObject(message) && message['role'] === 'user' && typeof message['content'] === 'string'
      ? [message['content']]
      : [],
  );
}

function rolesIn(request: SeenRequest | undefined): readonly unknown[] {
  const messages = request?.json?.['messages'];
  return Array.isArray(messages) ? messages.map((each) => (isJsonObject(each) ? each['role'] : undefined)) : [];
}

function toldBy(intake: Intake): string | undefined {
  if (intake.type === 'commanded') return intake.reply;
  return intake.type === 'admitted' ? intake.told : intake.type;
}

function repliesOf(house: TestHouse): readonly string[] {
  return house.shown.filter(({ kind }) => kind === 'reply').map(({ text }) => text);
}

function noticesOf(house: TestHouse): readonly string[] {
  return house.shown.filter(({ kind }) => kind === 'notice').map(({ text }) => text);
}

/** A first turn that runs until its gate is opened; what follows is answered with the last thing that was said. */
async function openBusyHouse(settings = {}, faults?: Faults): Promise<{ house: TestHouse; open: () => void }> {
  const gate = Promise.withResolvers<void>();
  const script = (request: SeenRequest): ReturnType<typeof says> => {
    const last = saidIn(request).at(-1) ?? '';
    return last.startsWith('long') ? delays(gate.promise, says(last)) : says(last);
  };
  const house = await openTestHouse({ script, settings, ...(faults && { faults }) });
  await house.admit('long');
  await house.server.whenRequested(1);
  return { house, open: gate.resolve };
}

test('with display.busy_input_mode queue each message waits its turn, in order, and is told how many are before it', async () => {
  const { house, open } = await openBusyHouse({ display: { busy_input_mode: 'queue' } });
  await using _house = house;

  const first = await house.admit('one');
  const second = await house.admit('two');
  open();
  await house.whenIdle();

  assert.deepEqual([first, second].map(toldBy), ['Waits: 1 turn is before it.', 'Waits: 2 turns are before it.']);
  assert.deepEqual(repliesOf(house), ['long', 'one', 'two']);
});

test('a platform can have another mode than the rest', async () => {
  const display = { busy_input_mode: 'interrupt', platforms: { terminal: { busy_input_mode: 'queue' } } };
  const { house, open } = await openBusyHouse({ display });
  await using _house = house;

  const intake = await house.admit('one');
  open();
  await house.whenIdle();

  assert.equal(toldBy(intake), 'Waits: 1 turn is before it.');
});

test('/queue TEXT waits its turn once; messages after it steer as before', async () => {
  const { house, open } = await openBusyHouse();
  await using _house = house;

  const queued = await house.admit('/queue later');
  const steered = await house.admit('also this');
  open();
  await house.whenIdle();

  assert.deepEqual([queued, steered].map(toldBy), ['Waits: 1 turn is before it.', 'steered']);
  assert.deepEqual(repliesOf(house).at(-1), 'later');
  assert.ok(!house.server.requests.some(({ body }) => body.includes('/queue')));
});

test('a picture with /queue before its words waits its turn, too, without the command', async () => {
  const { house, open } = await openBusyHouse();
  await using _house = house;

  const queued = await house.admit('/queue what is this?', [picture(1)]);
  open();
  await house.whenIdle();

  assert.equal(toldBy(queued), 'Waits: 1 turn is before it.');
  const admitted = (await house.log()).flatMap(({ entry }) => (entry.type === 'turn.admitted' ? [entry.parts] : []));
  assert.deepEqual(
    admitted.at(-1)?.map((part) => (part.type === 'text' ? part.text : part.type)),
    ['image', 'what is this?'],
  );
});

test('an interruption stops the running turn and comes next, before what waited, which keeps its order', async () => {
  const { house } = await openBusyHouse({ display: { busy_input_mode: 'queue' } });
  await using _house = house;

  await house.admit('one');
  await house.admit('two');
  const intake = await house.admit('/interrupt now this');
  await house.whenIdle();

  assert.equal(toldBy(intake), undefined);
  assert.deepEqual(noticesOf(house), ['Stopped the turn that ran: yours is next.']);
  assert.deepEqual(repliesOf(house), ['now this', 'one', 'two']);
  assert.deepEqual(house.server.requests.slice(1).map(saidIn), [
    ['long', 'now this'],
    ['long', 'now this', 'one'],
    ['long', 'now this', 'one', 'two'],
  ]);
});

test('whoever interrupts a turn is told once, with what was noted for it and it had not read', async () => {
  const { house } = await openBusyHouse();
  await using _house = house;

  await house.admit('and in blue');
  await house.admit('/interrupt now this');
  await house.whenIdle();

  assert.deepEqual(noticesOf(house), [
    'Stopped the turn that ran: yours is next. Not answered: “and in blue”. The model reads it with the next message.',
  ]);
  assert.deepEqual(saidIn(house.server.requests.at(-1)), ['long', 'and in blue', 'now this']);
});

test('an interruption of an interruption comes next, and then what was waiting', async () => {
  const { house } = await openBusyHouse();
  await using _house = house;

  await house.admit('/queue waiting');
  await house.admit('/interrupt long, but better');
  await house.server.whenRequested(2);
  await house.admit('/interrupt best');
  await house.whenIdle();

  assert.deepEqual(repliesOf(house), ['best', 'waiting']);
  assert.deepEqual(saidIn(house.server.requests.at(-1)), ['long', 'long, but better', 'best', 'waiting']);
});

test('two interruptions of one turn at once are both answered, in the order they came', async () => {
  const { house } = await openBusyHouse();
  await using _house = house;

  await Promise.all(['/interrupt one', '/interrupt two'].map((text) => house.admit(text)));
  await house.whenIdle();

  const admitted = (await house.log()).flatMap(({ entry }) => (entry.type === 'turn.admitted' ? entry.parts : []));
  const texts = admitted.map((part) => (part.type === 'text' ? part.text : ''));
  assert.deepEqual(repliesOf(house), texts.slice(1));
});

test('an interruption ends the tool that runs, and the history stays valid', async () => {
  const script = [callsTool('terminal', { command: 'sleep 600' }, { id: 'c1' }), says('Something else.')];
  await using house = await openTestHouse({ script, settings: { display: { busy_input_mode: 'interrupt' } } });

  await house.admit('work');
  await house.whenLogged('tool.called');
  await house.admit('leave that');
  await house.whenIdle();

  assert.deepEqual(repliesOf(house), ['Something else.']);
  assert.deepEqual(rolesIn(house.server.requests[1]), ['system', 'user', 'assistant', 'tool', 'user']);
  const results = (await house.log()).flatMap(({ entry }) =>
    entry.type === 'turn.settled' ? [entry.result.type] : [],
  );
  assert.deepEqual(results, ['interrupted', 'replied']);
});

test('an interruption counts although the program ends before it could stop the turn', async () => {
  let admissions = 0;
  const faults: Faults = {
    reach(point) {
      admissions += point === 'admitted' ? 1 : 0;
      return admissions === 3 ? Promise.reject(new Error('the program ends here')) : Promise.resolve();
    },
  };
  const { house } = await openBusyHouse({}, faults);
  await using _house = house;
  await house.admit('/queue waiting');
  await assert.rejects(house.admit('/interrupt now this'), /the program ends here/);
  admissions += 1;

  await house.restart();
  house.gateway.resume((await house.session()).id);
  await house.whenIdle();

  assert.deepEqual(repliesOf(house), ['now this', 'waiting']);
  assert.deepEqual(saidIn(house.server.requests.at(1)), ['long', 'now this']);
});

test('a queue has room for 32; what comes then is not taken, and its sender is told', async () => {
  const { house, open } = await openBusyHouse({ display: { busy_input_mode: 'queue' } });
  await using _house = house;

  for (let count = 1; count <= 32; count += 1) assert.equal((await house.admit(`message ${count}`)).type, 'admitted');
  const refused = await house.admit('one too many');
  const interrupting = await house.admit('/interrupt one too many');
  open();
  await house.whenIdle();

  const reason = 'the queue is full (32 wait); send it again when some of them are answered';
  assert.deepEqual(
    [refused, interrupting],
    [
      { type: 'refused', reason },
      { type: 'refused', reason },
    ],
  );
  assert.equal(repliesOf(house).length, 33);
  assert.ok(!house.server.requests.some(({ body }) => body.includes('one too many')));
});

test('/queue alone is the mode of the session from then on, also after a restart, and not of a new one', async () => {
  const { house, open } = await openBusyHouse();
  await using _house = house;

  const set = await house.admit('/queue');
  const intake = await house.admit('one');
  open();
  await house.whenIdle();
  await house.restart();
  const status = await house.admit('/status');
  await house.admit('/new');
  const later = await house.admit('/status');

  assert.match(toldBy(set) ?? '', /^From now on, in this session, what you say while a turn runs waits/);
  assert.equal(toldBy(intake), 'Waits: 1 turn is before it.');
  assert.match(toldBy(status) ?? '', /^busy {5}queue/m);
  assert.match(toldBy(later) ?? '', /^busy {5}steer/m);
});

for (const mode of ['steer', 'queue', 'interrupt']) {
  test(`/${mode} TEXT is a message like any other where nothing runs`, async () => {
    await using house = await openTestHouse({ script: (request) => says(saidIn(request).at(-1) ?? '') });

    const intake = await house.admit(`/${mode} hello\nthere`);
    await house.whenIdle();

    assert.deepEqual([intake.type, toldBy(intake)], ['admitted', undefined]);
    assert.deepEqual(repliesOf(house), ['hello\nthere']);
  });
}

test('a stop says how many wait, and they come next', async () => {
  const { house } = await openBusyHouse({ display: { busy_input_mode: 'queue' } });
  await using _house = house;
  await house.admit('one');
  await house.admit('two');

  const stopped = await house.admit('/stop');
  await house.whenIdle();

  assert.equal(toldBy(stopped), 'Stopping. 2 more wait and come next; /stop ends each of them.');
  assert.deepEqual(repliesOf(house), ['one', 'two']);
});

test('a stop names what was noted and not read yet, and the model reads it with the next message', async () => {
  const { house, open } = await openBusyHouse();
  await using _house = house;
  const noted = await house.admit('and in French');
  await house.admit('please');

  const stopped = await house.admit('/stop');
  await house.whenIdle();
  open();
  await house.admit('go on');
  await house.whenIdle();

  assert.equal(toldBy(noted), 'steered');
  assert.equal(
    toldBy(stopped),
    'Stopping. Not answered: “and in French”, “please”. The model reads them with the next message.',
  );
  assert.deepEqual(saidIn(house.server.requests.at(-1)), ['long', 'and in French\nplease', 'go on']);
});

test('a stop does not name what was noted and has been read', async () => {
  const gate = Promise.withResolvers<void>();
  const script = [delays(gate.promise, says('One.')), stallsAfter(0, says('Two.'))];
  await using house = await openTestHouse({ script });
  await house.admit('long');
  await house.server.whenRequested(1);
  await house.admit('and in French');
  gate.resolve();
  await house.server.whenRequested(2);

  const stopped = await house.admit('/stop');
  await house.whenIdle();

  assert.equal(toldBy(stopped), 'Stopping.');
});

test('a stop ends a turn that waits until a limited server may be asked again', async () => {
  await using house = await openTestHouse({ script: [failsWith(429, 'slow down', { 'retry-after': '60' })] });

  await house.admit('go');
  await house.whenLogged('step.failed');
  await house.admit('/stop');
  await house.whenIdle();

  assert.equal(house.shown.at(-1)?.text, 'Stopped.');
  assert.equal(house.server.requests.length, 1);
});

test('a stop ends a turn that asks whether a limit of money may be passed', async () => {
  await using house = await openTestHouse({
    script: () => says('never'),
    consent: 'silence',
    settings: {
      limits: { per_turn: 0, when_reached: 'ask' },
      prices: { 'custom:scripted': { input: 1, output: 1, cache_read: 1, cache_write: 1 } },
    },
  });

  const asked = house.whenAsked();
  await house.admit('go');
  await asked;
  await house.admit('/stop');
  await house.whenIdle();

  assert.equal(house.shown.at(-1)?.text, 'Stopped.');
  assert.equal(house.server.requests.length, 0);
});

test('an unknown command names the one that was most likely meant, and never reaches the model', async () => {
  await using house = await openTestHouse({ script: [] });

  const replies = await Promise.all(['/stpo', '/undoo', '/yol', '/frobnicate', '/st'].map((text) => house.admit(text)));

  assert.deepEqual(replies.map(toldBy), [
    'There is no command /stpo. Did you mean /stop? /help lists them all.',
    'There is no command /undoo. Did you mean /undo? /help lists them all.',
    'There is no command /yol. Did you mean /yolo? /help lists them all.',
    'There is no command /frobnicate. /help lists them all.',
    '/st can be the beginning of /stop, /steer, /status. /help lists them all.',
  ]);
  assert.equal(house.server.requests.length, 0);
});

test('a terminal, which is gone when its user leaves, is no home chat', async () => {
  await using house = await openTestHouse({ script: [] });

  const told = toldBy(await house.admit('/sethome'));

  assert.match(told ?? '', /^A terminal is told everything as long as it is open\./);
  assert.deepEqual(await house.app.store.homeChats.list(), []);
});

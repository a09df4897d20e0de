import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Faults } from '../../src/model/faults.ts';
import { openFakePrograms } from '../support/fake-programs.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { bodyOf, callsTool, says, stallsAfter } from '../support/model-script.ts';
import type { SeenRequest } from '../support/model-script.ts';
import { anna, ben } from '../support/telegram-server.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import type { TelegramHouse } from '../support/telegram-house.ts';

const pausing = 'Pausing here: the program is being stopped or restarted. This goes on by itself when it is back.';
const returning = 'Back again. Going on with this.';
const allow = [anna.id, ben.id];

function drainsFor(seconds: number): { readonly agent: { readonly restart_drain_timeout: number } } {
  return { agent: { restart_drain_timeout: seconds } };
}

function textsFor({ telegram }: TelegramHouse, { id }: { readonly id: number }): readonly string[] {
  return telegram.shown(id).map(({ text }) => text);
}

/** A model that answers nobody before the gate opens. */
function waitsFor(gate: Promise<void>): (request: SeenRequest) => Promise<ReturnType<typeof says>> {
  return async () => {
    await gate;
    return says('Done.');
  };
}

/** Resolves once the poll behind so many updates says that they were dealt with. */
async function whenDealtWith({ telegram }: TelegramHouse, updates: number): Promise<void> {
  for (let polls = 1; ; polls += 1) {
    const { offset } = await telegram.whenCalled('getUpdates', polls);
    if (Number(offset) > 5000 + updates) return;
  }
}

test('a turn that runs when the gateway is stopped may end, and what arrives meanwhile waits for the next start', async () => {
  const gate = Promise.withResolvers<void>();
  await using house = await openTelegramHouse({
    script: waitsFor(gate.promise),
    telegram: { allow },
    settings: drainsFor(600),
  });
  const { telegram, model } = house;
  telegram.say('begin');
  await model.whenRequested(1);

  const drained = house.gateway.drain();
  telegram.say('one', { from: ben });
  telegram.say('two', { from: ben });
  await telegram.whenShown(ben.id, (texts) => texts.length > 0);
  await whenDealtWith(house, 3);
  gate.resolve();
  await drained;
  await house.close();

  assert.deepEqual(textsFor(house, anna), ['Done.']);
  assert.deepEqual(textsFor(house, ben), [pausing]);
  assert.equal(model.requests.length, 1);
  await house.open();
  await telegram.whenShown(ben.id, (texts) => texts.filter((text) => text === 'Done.').length === 2);
  assert.deepEqual(textsFor(house, ben), [pausing, returning, 'Done.', 'Done.']);
});

test('a turn that waits behind the running one does not begin while the gateway is being stopped', async () => {
  const gate = Promise.withResolvers<void>();
  await using house = await openTelegramHouse({ script: waitsFor(gate.promise), settings: drainsFor(600) });
  const { telegram, model } = house;
  telegram.say('begin');
  await model.whenRequested(1);
  telegram.say('/compact');
  await whenDealtWith(house, 2);

  const drained = house.gateway.drain();
  gate.resolve();
  await drained;

  assert.deepEqual(textsFor(house, anna), ['Waits: 1 turn is before it.', 'Done.', pausing]);
  assert.equal((await house.app.store.turns.unsettled()).length, 1);
});

test('over several restarts whoever waits is told of the pause once, and once that it goes on', async () => {
  const gate = Promise.withResolvers<void>();
  await using house = await openTelegramHouse({ script: waitsFor(gate.promise), settings: drainsFor(0) });
  const { telegram, model } = house;
  telegram.say('begin');

  for (const restarts of [1, 2, 3]) {
    await model.whenRequested(restarts);
    await house.gateway.drain();
    await house.close();
    await house.open();
  }
  gate.resolve();
  await telegram.whenShown(anna.id, (texts) => texts.at(-1) === 'Done.');

  assert.deepEqual(textsFor(house, anna), [pausing, returning, 'Done.']);
});

test('what was shown of an answer goes with the pause of its turn, which says it as a whole when it is back', async () => {
  const text = 'This is the first half of an answer that takes its time.';
  const half = stallsAfter(bodyOf(says(text)).length / 2, says(text));
  await using house = await openTelegramHouse({ script: [half, says(text)], settings: drainsFor(0) });
  const { telegram } = house;
  telegram.say('tell me');
  await telegram.whenShown(anna.id, (texts) => texts.length > 0);

  await house.gateway.drain();
  await telegram.whenShown(anna.id, (texts) => texts.at(-1) === pausing);
  await house.close();
  await house.open();
  await telegram.whenShown(anna.id, (texts) => texts.includes(text) && texts.every((each) => !each.endsWith('▉')));

  assert.deepEqual(textsFor(house, anna), [pausing, returning, text]);
});

test('a turn that does not end in time is left unsettled, and counts as no crash', async () => {
  const gate = Promise.withResolvers<void>();
  await using house = await openTelegramHouse({ script: waitsFor(gate.promise), settings: drainsFor(1) });
  house.telegram.say('begin');
  await house.model.whenRequested(1);

  await house.gateway.drain();

  const [turn] = await house.app.store.turns.unsettled();
  assert.ok(turn);
  const log = await house.app.store.turns.after(turn.sessionId, 0);
  assert.deepEqual(
    log.map(({ entry }) => entry.type),
    ['turn.admitted', 'turn.claimed', 'step.asked', 'turn.released', 'turn.announced'],
  );
});

/** Lets the time pass until something has ended. */
async function passUntil(work: Promise<void>, clock: ManualClock): Promise<void> {
  const ended = work.then(() => 'ended' as const);
  for (;;) {
    clock.advance(1000);
    if ((await Promise.race([ended, nextTick('not yet')])) === 'ended') return;
  }
}

test('a turn that does not end though it was told to, and a chat that nothing reaches, hold up no stop', async () => {
  const clock = new ManualClock(Date.now());
  const [stuck, unreached] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const reached = Promise.withResolvers<void>();
  const faults: Faults = {
    async reach(point) {
      if (point !== 'answer-streaming') return;
      reached.resolve();
      await stuck.promise;
    },
  };
  await using house = await openTelegramHouse({ script: () => says('Done.'), clock, faults, settings: drainsFor(0) });
  house.telegram.fail(
    'sendMessage',
    ...Array.from({ length: 9 }, () => ({ type: 'waits', gate: unreached.promise }) as const),
  );
  house.telegram.say('begin');
  await reached.promise;

  await passUntil(house.gateway.drain(), clock);
  const left = await house.app.store.turns.unsettled();
  for (const { resolve } of [stuck, unreached]) resolve();

  assert.equal(left.length, 1);
});

test('a turn that waits for the consent of a person holds up no stop: it is asked again at the next start', async () => {
  await using programs = await openFakePrograms('git');
  await using house = await openTelegramHouse({
    script: [callsTool('terminal', { command: 'git push' }), says('Pushed.')],
    settings: drainsFor(600),
    env: { PATH: programs.path },
  });
  const { telegram } = house;
  telegram.say('push');
  await telegram.whenShown(anna.id, () => openButtons(house).length > 0);

  await house.gateway.drain();

  const [turn] = await house.app.store.turns.unsettled();
  const log = turn && (await house.app.store.turns.after(turn.sessionId, 0));
  assert.deepEqual(
    log?.slice(-3).map(({ entry }) => entry.type),
    ['approval.asked', 'turn.released', 'turn.announced'],
  );
  await house.close();
  await house.open();
  await telegram.whenShown(anna.id, (texts) => texts.includes(returning) && openButtons(house).length > 0);
  telegram.press(openButtons(house)[0] ?? '');
  await telegram.whenShown(anna.id, (texts) => texts.includes('Pushed.'));
});

function openButtons({ telegram }: TelegramHouse): readonly string[] {
  const buttons = telegram.shown(anna.id).flatMap((shown) => shown.buttons?.inline_keyboard.flat() ?? []);
  return buttons.flatMap((button) => ('callback_data' in button ? [button.callback_data] : []));
}

test('where nothing runs the gateway is stopped at once and nobody is told anything', async () => {
  await using house = await openTelegramHouse({ script: () => says('Done.'), settings: drainsFor(600) });
  house.telegram.say('begin');
  await house.telegram.whenShown(anna.id, (texts) => texts.length > 0);

  await house.gateway.drain();

  assert.deepEqual(textsFor(house, anna), ['Done.']);
});

test('a turn that went on after a crash says nothing of a pause that nobody was told of', async () => {
  const gate = Promise.withResolvers<void>();
  await using house = await openTelegramHouse({ script: waitsFor(gate.promise) });
  house.telegram.say('begin');
  await house.model.whenRequested(1);
  await house.close();

  await house.open();
  gate.resolve();
  await house.telegram.whenShown(anna.id, (texts) => texts.length > 0);

  assert.deepEqual(textsFor(house, anna), ['Done.']);
});

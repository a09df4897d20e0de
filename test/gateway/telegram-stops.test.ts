import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { Faults } from '../../src/model/faults.ts';
import { says, staysSilent } from '../support/model-script.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import type { TelegramHouse } from '../support/telegram-house.ts';
import { anna } from '../support/telegram-server.ts';

/** Resolves once the bot asks for what comes behind everything that was said to it. */
async function whenAllTaken({ telegram }: TelegramHouse, last: number): Promise<void> {
  for (let count = 1; ; count += 1) {
    if (Number((await telegram.whenCalled('getUpdates', count))['offset']) > last) return;
  }
}

test('a stop that finds nothing to stop, while a reply is still being sent, ends nothing that is said after it', async () => {
  const gate = Promise.withResolvers<void>();
  await using house = await openTelegramHouse({ script: [says('First.'), says('Second.')] });
  house.telegram.fail('sendMessage', { type: 'waits', gate: gate.promise });

  house.telegram.say('one');
  await house.telegram.whenCalled('sendMessage');
  house.telegram.say('/stop');
  house.telegram.say('two');
  await whenAllTaken(house, house.telegram.lastUpdate);
  gate.resolve();
  const texts = await house.telegram.whenShown(anna.id, ({ length }) => length === 3);

  assert.deepEqual(texts, ['First.', 'Nothing is running.', 'Second.']);
});

/** On a slow machine, too, a turn ends before whoever stopped it is told that this takes its time. */
const patientClock: Clock = {
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic(),
  sleep: (ms, signal) => systemClock.sleep(ms === 1000 ? 1_000_000 : ms, signal),
};

test('a stop is answered once, by the turn that has ended, and what else there is to say comes behind it', async () => {
  const script = [staysSilent(), staysSilent(), says('Third.')];
  await using house = await openTelegramHouse({ script, clock: patientClock });
  const { telegram } = house;
  telegram.say('one');
  await house.model.whenRequested(1);
  telegram.say('/queue two');
  await telegram.whenShown(anna.id, ({ length }) => length === 1);

  telegram.say('/stop');
  await telegram.whenShown(anna.id, ({ length }) => length === 3);
  await house.model.whenRequested(2);
  telegram.say('/stop');
  await telegram.whenShown(anna.id, (shown) => shown.filter((text) => text === 'Stopped.').length === 2);
  telegram.say('three');
  const texts = await telegram.whenShown(anna.id, (shown) => shown.includes('Third.'));

  const next = 'One more waits and comes next; /stop ends each of them.';
  assert.deepEqual(texts, ['Waits: 1 turn is before it.', 'Stopped.', next, 'Stopped.', 'Third.']);
});

test('a turn that takes its time to end is said to be stopped first, and to have stopped then', async () => {
  const gate = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const faults: Faults = {
    async reach(point) {
      if (point !== 'step-asked') return;
      asked.resolve();
      await gate.promise;
    },
  };
  await using house = await openTelegramHouse({ script: [says('Never.')], faults });
  house.telegram.say('one');
  await asked.promise;

  house.telegram.say('/stop');
  const before = await house.telegram.whenShown(anna.id, ({ length }) => length > 0);
  gate.resolve();
  const texts = await house.telegram.whenShown(anna.id, (shown) => shown.includes('Stopped.'));

  assert.deepEqual(before, ['Stopping.']);
  assert.deepEqual(texts, ['Stopping.', 'Stopped.']);
});

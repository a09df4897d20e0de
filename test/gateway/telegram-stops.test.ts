import assert from 'node:assert/strict';
import { test } from 'node:test';
import { says } from '../support/model-script.ts';
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

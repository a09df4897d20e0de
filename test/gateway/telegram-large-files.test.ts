import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { callsTool, says, stallsAfter } from '../support/model-script.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import type { TelegramHouse } from '../support/telegram-house.ts';
import { anna } from '../support/telegram-server.ts';

async function whenAllSettled({ app }: TelegramHouse): Promise<void> {
  while ((await app.store.turns.unsettled()).length > 0) await nextTick();
}

function shownTexts({ telegram }: TelegramHouse): readonly string[] {
  return telegram.shown(anna.id).map(({ text }) => text);
}

test('the next turn begins while a large file is on its way, is seen once that has arrived, and is answered behind it', async () => {
  const upload = Promise.withResolvers<void>();
  const long = Array.from({ length: 100 }, (_, index) => `word${index}`).join(' ');
  await using house = await openTelegramHouse({
    script: [
      callsTool('send_message', { text: 'Here it is.', file: 'large.txt' }),
      says('First.'),
      stallsAfter(4000, says(long)),
    ],
  });
  await writeFile(join(dirname(house.home), 'large.txt'), 'large');
  house.telegram.fail('sendDocument', { type: 'waits', gate: upload.promise });
  house.telegram.say('send me the file');
  await house.telegram.whenCalled('sendDocument');
  await house.model.whenRequested(2);
  await whenAllSettled(house);

  house.telegram.say('and then?');
  await house.model.whenRequested(3);
  const meanwhile = shownTexts(house);
  upload.resolve();
  await house.telegram.whenShown(anna.id, (texts) => texts.at(-1)?.startsWith('word0 word1') === true);
  const arrived = shownTexts(house);
  house.model.release();
  await house.telegram.whenShown(anna.id, (texts) => texts.at(-1) === long);

  assert.ok(
    meanwhile.every((text) => text !== 'First.' && !text.startsWith('word')),
    meanwhile.join('\n'),
  );
  assert.ok(arrived.includes('First.'), arrived.join('\n'));
  assert.deepEqual(
    shownTexts(house).filter((text) => text.startsWith('word')),
    [long],
  );
});

test('a gateway that is stopped lets what it is sending arrive', async () => {
  const sending = Promise.withResolvers<void>();
  await using house = await openTelegramHouse({ script: [says('Done.')] });
  house.telegram.fail('sendMessage', { type: 'waits', gate: sending.promise });
  house.telegram.say('hello');
  await house.telegram.whenCalled('sendMessage');
  await whenAllSettled(house);

  const order: string[] = [];
  const drained = house.gateway.drain().then(() => order.push('stopped'));
  for (let looks = 0; looks < 20; looks += 1) await whenAllSettled(house);
  order.push('sent');
  sending.resolve();
  await drained;
  await house.close();

  assert.deepEqual(order, ['sent', 'stopped']);
  assert.deepEqual(shownTexts(house), ['Done.']);
  await house.open();
  assert.deepEqual(await house.app.store.outbox.due('telegram', Date.now()), []);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Faults } from '../../src/model/faults.ts';
import { readChat } from '../../src/web/chat-reader.ts';
import { delays, says, stallsAfter } from '../support/model-script.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import type { TelegramHouse } from '../support/telegram-house.ts';
import { anna } from '../support/telegram-server.ts';
import { openTestHouse } from '../support/test-house.ts';

const first = 'Beans need sun, water and something to climb on.';
const noted = 'Noted: it reaches the running turn with its next step.';

function startsWith(begin: string): (texts: readonly string[]) => boolean {
  return (texts) => texts.some((text) => text.startsWith(begin));
}

/** Something is said while the answer is on its way, which then is whole. */
async function addWhileAnswered({ telegram, model }: TelegramHouse, finish: () => void): Promise<void> {
  telegram.say('how do beans grow?');
  await model.whenRequested(1);
  telegram.say('thanks');
  await telegram.whenShown(anna.id, startsWith('Noted'));
  finish();
}

test('an answer on Telegram that was whole when something was added stays, and the next one comes below it', async () => {
  const [whole, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using house = await openTelegramHouse({
    script: [delays(whole.promise, says(first)), delays(second.promise, says('You are welcome.'))],
  });

  await addWhileAnswered(house, whole.resolve);
  const before = await house.telegram.whenShown(anna.id, (texts) => texts.includes(first));
  second.resolve();
  const texts = await house.telegram.whenShown(anna.id, (shown) => shown.includes('You are welcome.'));

  assert.deepEqual(
    before.filter((text) => !text.includes('⏳')),
    [noted, first],
  );
  assert.deepEqual(texts, [noted, first, 'You are welcome.']);
});

test('it stays, too, where the turn is stopped while it goes on', async () => {
  const whole = Promise.withResolvers<void>();
  await using house = await openTelegramHouse({
    script: [delays(whole.promise, says(first)), stallsAfter(0, says('late'))],
  });

  await addWhileAnswered(house, whole.resolve);
  await house.model.whenRequested(2);
  await house.telegram.whenShown(anna.id, (texts) => texts.includes(first));
  house.telegram.say('/stop');
  const texts = await house.telegram.whenShown(anna.id, startsWith('Stopped'));

  assert.equal(texts.filter((text) => text === first).length, 1);
});

test('it is in the outbox before the request leaves with which the turn goes on, so that no crash loses it', async () => {
  const whole = Promise.withResolvers<void>();
  const kept: (readonly string[])[] = [];
  const faults: Faults = {
    async reach(point) {
      if (point !== 'step-asked') return;
      const { sessions, outbox } = house.app.store;
      const [session] = await sessions.list({ limit: 1 });
      const replies = session ? await outbox.after(session.id, 0) : [];
      kept.push(replies.filter(({ message }) => message.kind === 'reply').map(({ message }) => message.text));
    },
  };
  await using house: TelegramHouse = await openTelegramHouse({
    script: [delays(whole.promise, says(first)), says('You are welcome.')],
    faults,
  });

  await addWhileAnswered(house, whole.resolve);
  await house.telegram.whenShown(anna.id, (texts) => texts.includes('You are welcome.'));

  assert.deepEqual(kept, [[], [first]]);
});

test('at a terminal, which has shown it, it is not sent again', async () => {
  const whole = Promise.withResolvers<void>();
  await using house = await openTestHouse({
    script: [delays(whole.promise, says(first)), says('You are welcome.')],
  });

  await house.admit('how do beans grow?');
  await house.server.whenRequested(1);
  await house.admit('thanks');
  whole.resolve();
  await house.whenIdle();

  const sent = await house.app.store.outbox.after((await house.session()).id, 0);
  assert.deepEqual(
    sent.map(({ message }) => message.text),
    ['You are welcome.'],
  );
});

test('on the page, once it has taken the conversation, each answer stands once', async () => {
  const whole = Promise.withResolvers<void>();
  await using house = await openTelegramHouse({
    script: [delays(whole.promise, says(first)), says('You are welcome.')],
  });
  await addWhileAnswered(house, whole.resolve);
  await house.telegram.whenShown(anna.id, (texts) => texts.includes('You are welcome.'));
  const { store } = house.app;
  const [session] = await store.sessions.list({ limit: 1 });
  assert.ok(session);
  await house.gateway.whenIdle(session.id);

  const { items } = await readChat(session.address, undefined, store);

  const said = items.map(({ item }) => item.text).filter((text) => text === first || text === 'You are welcome.');
  assert.deepEqual(said, [first, 'You are welcome.']);
});

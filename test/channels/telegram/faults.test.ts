import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliverDue } from '../../../src/gateway/delivery.ts';
import type { Channel, Inbound } from '../../../src/model/channel.ts';
import { partsToText } from '../../../src/model/message.ts';
import { openStoreHouse } from '../../support/store-house.ts';
import type { StoreHouse } from '../../support/store-house.ts';
import * as sqlite from '../../support/store-sqlite-opener.ts';
import { anna, ben } from '../../support/telegram-server.ts';
import { badGateway, dropsAfter, dropsBefore, floods, internalError } from '../../support/telegram-server-faults.ts';
import type { TelegramFault } from '../../support/telegram-server-faults.ts';
import { InstantClock } from '../../support/instant-clock.ts';
import { next, openTelegram } from './bench.ts';

const none: TelegramFault = { type: 'waits', gate: Promise.resolve() };
const faults = [none, dropsAfter, none, floods(2), internalError, none, dropsBefore, none, badGateway, none, none];
const markedCopy = '(sent again: you may have seen this)\n';
const messages = 44;
const farAway = Date.UTC(2100, 0);

/** What the gateway does with a message, without a model: takes it in once, and answers it once. */
async function answer(inbound: Inbound, { store }: StoreHouse): Promise<void> {
  if (inbound.type !== 'message') return;
  const session = await store.sessions.at(inbound);
  await store.transaction(async (tx) => {
    if ((await tx.inbox.note(inbound.key)) === 'duplicate') return;
    const text = `re: ${partsToText(inbound.parts)}`;
    const { address } = inbound;
    await tx.outbox.enqueue({ sessionId: session.id, address, kind: 'reply', text, notAfter: farAway });
  });
}

async function deliverAll({ store, clock }: StoreHouse, channel: Channel): Promise<void> {
  const signal = new AbortController().signal;
  while ((await store.outbox.due('telegram', farAway)).length > 0) {
    await deliverDue(channel, { outbox: store.outbox, clock, faults: undefined }, signal);
    clock.advance(10_000);
  }
}

test('through faults, duplicates and sudden ends every message is answered once; a second copy is marked', async () => {
  await using house = await openStoreHouse(sqlite);
  await using bench = await openTelegram({ clock: new InstantClock() });
  const { server } = bench;
  server.updates.order = 'doubled';
  for (let number = 1; number <= messages; number += 1) server.say(String(number), { from: number % 2 ? anna : ben });
  server.fail('getUpdates', ...faults, ...faults);
  server.fail('sendMessage', ...faults, ...faults);

  for (let life = 0; server.updates.pending.length > 0; life += 1) {
    const stopping = new AbortController();
    const channel = bench.restart();
    const received = channel.receive(stopping.signal)[Symbol.asyncIterator]();
    // Each life answers some messages and is then dead: it neither asks for the next one nor confirms any.
    const last = life < 5 ? 3 + life : messages;
    for (let handled = 0; handled < last && server.updates.pending.length > 0; handled += 1) {
      await answer(await next(received), house);
      await deliverAll(house, channel);
    }
    if (life >= 5) {
      void received.next();
      await server.whenCalled('getUpdates', server.callsOf('getUpdates').length + 1);
      stopping.abort();
    }
  }

  for (const person of [anna, ben]) {
    const shown = server.shown(person.id).map(({ text }) => text);
    const firsts = shown.map((text) => text.replace(markedCopy, ''));
    const asked = Array.from({ length: messages }, (_, index) => index + 1).filter(
      (n) => (n % 2 === 1) === (person === anna),
    );
    assert.deepEqual(
      [...new Set(firsts)],
      asked.map((n) => `re: ${n}`),
      'all are answered, in order',
    );
    const unmarked = shown.filter((text) => !text.startsWith(markedCopy));
    assert.equal(unmarked.length, new Set(unmarked).size, 'no second copy goes without a mark');
  }
});

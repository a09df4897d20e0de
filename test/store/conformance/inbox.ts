import assert from 'node:assert/strict';
import type { InboundKey } from '../../../src/model/channel.ts';
import { admit, answered, inChat, messageKey, settled } from '../../support/store-samples.ts';
import type { Promises } from './promises.ts';

export const inboxPromises: Promises = {
  'a key is new once, however often it comes, also at the same moment and after a restart': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const turn = await admit(house.store, session, 'hello');

    const answers = await Promise.all(
      Array.from({ length: 5 }, () => house.store.inbox.accept(messageKey('m1'), turn)),
    );
    const store = await house.reopen();

    assert.deepEqual(answers, ['new', 'duplicate', 'duplicate', 'duplicate', 'duplicate']);
    assert.equal(await store.inbox.accept(messageKey('m1'), turn), 'duplicate');
  },

  'two keys that differ in any part are two messages': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const turn = await admit(house.store, session, 'hello');
    const key: InboundKey = { platform: 'a', account: 'b', chat: 'c', messageId: 'd', revision: 1 };
    const others: readonly InboundKey[] = [
      { ...key, platform: 'x' },
      { ...key, account: 'x' },
      { ...key, chat: 'x' },
      { ...key, messageId: 'x' },
      { ...key, revision: 2 },
      { ...key, platform: 'a","b', account: '' },
    ];

    for (const each of [key, ...others]) assert.equal(await house.store.inbox.accept(each, turn), 'new');
  },

  'a key that was noted without a turn is known for good, and opens none': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const turn = await admit(house.store, session, 'hello');

    assert.equal(await house.store.inbox.note(messageKey('m1')), 'new');
    assert.equal(await house.store.inbox.note(messageKey('m1')), 'duplicate');
    assert.equal(await house.store.inbox.accept(messageKey('m1'), turn), 'duplicate');
    assert.equal(await house.store.inbox.accept(messageKey('m2'), turn), 'new');
    const store = await house.reopen();

    assert.equal(await store.inbox.note(messageKey('m2')), 'duplicate');
    assert.deepEqual(await store.inbox.open(), [turn]);
  },

  'a key stays known when its session is deleted': async ({ open }) => {
    await using house = await open();
    const gone = await house.store.sessions.at(inChat('gone'));
    await house.store.inbox.accept(messageKey('m1'), await admit(house.store, gone, 'hello'));
    await house.store.sessions.delete(gone.id);

    const again = await house.store.sessions.at(inChat('gone'));
    const turn = await admit(house.store, again, 'hello');

    assert.equal(await house.store.inbox.accept(messageKey('m1'), turn), 'duplicate');
  },

  'open are the turns with accepted messages that are neither settled nor dealt with, in order': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const turns = [];
    for (const text of ['first', 'second', 'third']) {
      const turn = await admit(house.store, session, text);
      await house.store.inbox.accept(messageKey(text), turn);
      await house.store.inbox.accept(messageKey(`${text} again`), turn);
      turns.push(turn);
    }
    const [first, second, third] = turns;
    assert.ok(first && second && third);
    assert.deepEqual(await house.store.inbox.open(), [first, second, third]);

    await house.store.turns.append(first, [answered('hi'), settled()]);
    assert.deepEqual(await house.store.inbox.open(), [second, third]);
    await house.store.inbox.consume(second.turnId);
    const store = await house.reopen();
    assert.deepEqual(await store.inbox.open(), [third]);
    assert.equal(await store.inbox.accept(messageKey('second'), third), 'duplicate');
  },
};

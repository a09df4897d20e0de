import assert from 'node:assert/strict';
import type { InboundKey } from '../../../src/model/channel.ts';
import { messageKey } from '../../support/store-samples.ts';
import type { Promises } from './promises.ts';

export const inboxPromises: Promises = {
  'a key is new once, however often it comes, also at the same moment and after a restart': async ({ open }) => {
    await using house = await open();

    const answers = await Promise.all(Array.from({ length: 5 }, () => house.store.inbox.note(messageKey('m1'))));
    const store = await house.reopen();

    assert.deepEqual(answers, ['new', 'duplicate', 'duplicate', 'duplicate', 'duplicate']);
    assert.equal(await store.inbox.note(messageKey('m1')), 'duplicate');
    assert.equal(await store.inbox.note(messageKey('m2')), 'new');
  },

  'two keys that differ in any part are two messages': async ({ open }) => {
    await using house = await open();
    const key: InboundKey = { platform: 'a', account: 'b', chat: 'c', messageId: 'd', revision: 1 };
    const others: readonly InboundKey[] = [
      { ...key, platform: 'x' },
      { ...key, account: 'x' },
      { ...key, chat: 'x' },
      { ...key, messageId: 'x' },
      { ...key, revision: 2 },
      { ...key, platform: 'a","b', account: '' },
    ];

    for (const each of [key, ...others]) assert.equal(await house.store.inbox.note(each), 'new');
  },
};

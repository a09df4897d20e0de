import assert from 'node:assert/strict';
import { ada, bob, inChat } from '../../support/store-samples.ts';
import type { Promises } from './promises.ts';

export const homeChatPromises: Promises = {
  'a platform has one home chat, the one that was named last, and that lasts': async ({ open }) => {
    await using house = await open();
    const { address: first } = inChat('one');
    const second = { ...first, chat: 'two', thread: '7', member: bob };
    const elsewhere = { ...first, platform: 'elsewhere' };

    await house.store.homeChats.set({ address: first, person: ada, since: 10 });
    await house.store.homeChats.set({ address: elsewhere, person: ada, since: 20 });
    await house.store.homeChats.set({ address: second, person: bob, since: 30 });
    const store = await house.reopen();

    assert.deepEqual(await store.homeChats.list(), [
      { address: second, person: bob, since: 30 },
      { address: elsewhere, person: ada, since: 20 },
    ]);
  },
};

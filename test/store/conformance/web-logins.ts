import assert from 'node:assert/strict';
import type { Promises } from './promises.ts';

export const webLoginPromises: Promises = {
  'a login lasts until its end, also over a restart': async ({ open }) => {
    await using house = await open();
    await house.store.webLogins.add({ digest: 'one', since: 10, expiresAt: 20 });

    const { webLogins } = await house.reopen();

    assert.deepEqual(
      [await webLogins.has('one', 19), await webLogins.has('one', 20), await webLogins.has('other', 19)],
      [true, false, false],
    );
  },

  'one login can be ended, or all of them at once': async ({ open }) => {
    await using house = await open();
    const { webLogins } = house.store;
    for (const digest of ['one', 'two', 'three']) await webLogins.add({ digest, since: 10, expiresAt: 20 });

    await webLogins.remove('one');

    assert.deepEqual([await webLogins.has('one', 15), await webLogins.has('two', 15)], [false, true]);
    assert.equal(await webLogins.removeAll(), 2);
    assert.equal(await webLogins.has('two', 15), false);
  },

  'logins that are over are forgotten when the next one comes': async ({ open }) => {
    await using house = await open();
    const { webLogins } = house.store;
    await webLogins.add({ digest: 'old', since: 10, expiresAt: 20 });

    await webLogins.add({ digest: 'new', since: 20, expiresAt: 30 });

    assert.equal(await webLogins.removeAll(), 1);
  },
};

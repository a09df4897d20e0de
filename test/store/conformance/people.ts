import assert from 'node:assert/strict';
import { ada, bob } from '../../support/store-samples.ts';
import type { Promises } from './promises.ts';

export const peoplePromises: Promises = {
  'a code lets in the person that it was given to, once, and that lasts': async ({ open }) => {
    await using house = await open();
    const { people } = house.store;
    await people.offer({ digest: 'one', person: ada, at: 10, expiresAt: 20 });

    assert.equal(await people.admit('other', 15), undefined);
    assert.equal(await people.admit('one', 15), ada);
    assert.equal(await people.admit('one', 15), undefined);
    const store = await house.reopen();

    assert.deepEqual(await store.people.list(), [{ person: ada, since: 15, role: 'guest' }]);
    assert.deepEqual([await store.people.has(ada), await store.people.has(bob)], [true, false]);
  },

  'a code is worth nothing from its end on, nor behind a newer one of the same person': async ({ open }) => {
    await using house = await open();
    const { people } = house.store;
    await people.offer({ digest: 'old', person: ada, at: 10, expiresAt: 20 });
    await people.offer({ digest: 'of bob', person: bob, at: 11, expiresAt: 21 });
    await people.offer({ digest: 'new', person: ada, at: 12, expiresAt: 22 });

    assert.equal(await people.admit('old', 15), undefined);
    assert.equal(await people.admit('new', 22), undefined);
    assert.equal(await people.admit('of bob', 20), bob);
  },

  'who was given codes is known, used and replaced ones included': async ({ open }) => {
    await using house = await open();
    const { people } = house.store;
    for (const at of [10, 11, 12]) await people.offer({ digest: `${at}`, person: ada, at, expiresAt: 99 });
    await people.admit('12', 13);

    assert.deepEqual(await people.offers(11), [
      { person: ada, at: 11 },
      { person: ada, at: 12 },
    ]);
  },

  "an owner's code makes an owner of whoever brings it, once": async ({ open }) => {
    await using house = await open();
    const { people } = house.store;
    for (const person of [ada, bob]) {
      await people.offer({ digest: person, person, at: 1, expiresAt: 99 });
      await people.admit(person, 2);
    }
    await people.inviteOwner({ digest: 'one', expiresAt: 20 });

    const store = await house.reopen();

    assert.equal(await store.people.admitOwner('other', { person: bob }, 15), false);
    assert.equal(await store.people.admitOwner('one', { person: bob }, 15), true);
    assert.equal(await store.people.admitOwner('one', { person: ada }, 15), false);
    assert.deepEqual(await store.people.list(), [
      { person: ada, since: 2, role: 'guest' },
      { person: bob, since: 2, role: 'owner' },
    ]);
  },

  "an owner's code is worth nothing from its end on, nor behind a newer one": async ({ open }) => {
    await using house = await open();
    const { people } = house.store;
    await people.inviteOwner({ digest: 'old', expiresAt: 20 });
    await people.inviteOwner({ digest: 'new', expiresAt: 22 });

    assert.equal(await people.admitOwner('old', { person: ada }, 15), false);
    assert.equal(await people.admitOwner('new', { person: ada }, 22), false);
    assert.deepEqual(await people.list(), []);
  },

  'who was let in has the name of the code, or of the link that came later, and none where none was given': async ({
    open,
  }) => {
    await using house = await open();
    const { people } = house.store;
    await people.offer({ digest: 'a', person: ada, name: 'Ada', at: 1, expiresAt: 99 });
    await people.offer({ digest: 'b', person: bob, at: 1, expiresAt: 99 });
    for (const digest of ['a', 'b']) await people.admit(digest, 2);
    const [first] = await people.list();
    await people.inviteOwner({ digest: 'link', expiresAt: 99 });
    await people.admitOwner('link', { person: ada, name: 'Ada L.' }, 3);
    await people.inviteOwner({ digest: 'another', expiresAt: 99 });
    await people.admitOwner('another', { person: ada }, 4);

    const store = await house.reopen();

    assert.equal(first?.name, 'Ada');
    assert.deepEqual(await store.people.list(), [
      { person: ada, since: 2, role: 'owner', name: 'Ada L.' },
      { person: bob, since: 2, role: 'guest' },
    ]);
  },

  'access that is taken back is gone, and with it a code that was handed out': async ({ open }) => {
    await using house = await open();
    const { people } = house.store;
    await people.offer({ digest: 'one', person: ada, at: 10, expiresAt: 99 });
    await people.admit('one', 15);
    await people.offer({ digest: 'two', person: ada, at: 16, expiresAt: 99 });

    assert.equal(await people.remove(ada), true);
    assert.equal(await people.remove(ada), false);
    assert.equal(await people.admit('two', 17), undefined);
    assert.deepEqual(await people.list(), []);
  },
};

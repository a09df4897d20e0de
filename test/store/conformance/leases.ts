import assert from 'node:assert/strict';
import type { NodeId } from '../../../src/base/ids.ts';
import type { Promises } from './promises.ts';

const one = 'nod_1' as NodeId;
const two = 'nod_2' as NodeId;

export const leasePromises: Promises = {
  'a lease has one holder, and the others are told who and until when': async ({ open }) => {
    await using house = await open();
    const { leases } = house.store;

    const grants = await Promise.all([leases.acquire('a', one, 1000), leases.acquire('a', two, 1000)]);

    const until = house.clock.now() + 1000;
    assert.deepEqual(grants, [
      { type: 'held', epoch: 1 },
      { type: 'taken', by: one, until },
    ]);
    assert.deepEqual(await leases.acquire('b', two, 1000), { type: 'held', epoch: 1 });
  },

  'the holder keeps its epoch, and every change of hands raises it': async ({ open }) => {
    await using house = await open();
    const { leases } = house.store;
    await leases.acquire('a', one, 1000);

    assert.deepEqual(await leases.acquire('a', one, 1000), { type: 'held', epoch: 1 });
    await leases.release('a', two);
    assert.equal((await leases.acquire('a', two, 1000)).type, 'taken');
    await leases.release('a', one);
    assert.deepEqual(await leases.acquire('a', two, 1000), { type: 'held', epoch: 2 });
    await leases.release('a', two);
    assert.deepEqual(await leases.acquire('a', two, 1000), { type: 'held', epoch: 3 });
  },

  'a lease that is not renewed runs out, and its old holder learns that it passed on': async ({ open }) => {
    await using house = await open();
    const { leases } = house.store;
    await leases.acquire('a', one, 1000);

    house.clock.advance(600);
    assert.equal(await leases.renew('a', one, 1000), true);
    house.clock.advance(999);
    assert.equal((await leases.acquire('a', two, 1000)).type, 'taken');
    house.clock.advance(1);
    assert.deepEqual(await leases.acquire('a', two, 1000), { type: 'held', epoch: 2 });

    assert.equal(await leases.renew('a', one, 1000), false);
    assert.equal(await leases.renew('never taken', one, 1000), false);
    assert.equal((await leases.acquire('a', one, 1000)).type, 'taken');
  },
};

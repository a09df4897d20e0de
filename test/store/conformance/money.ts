import assert from 'node:assert/strict';
import type { Promises } from './promises.ts';

const day = { scope: 'day', limit: 100 };
const month = { scope: 'month', limit: 150 };

export const moneyPromises: Promises = {
  'money is set aside in all scopes or in none': async ({ open }) => {
    await using house = await open();
    const { money } = house.store;
    assert.equal((await money.reserve(60, [day, month])).type, 'reserved');

    const refused = await money.reserve(60, [month, day]);

    assert.deepEqual(refused, { type: 'over-limit', scope: 'day', spent: 60, limit: 100 });
    assert.deepEqual([await money.spent('day'), await money.spent('month'), await money.spent('year')], [60, 60, 0]);
    assert.equal((await money.reserve(40, [day, month])).type, 'reserved');
  },

  'those who reserve at the same moment cannot overdraw together': async ({ open }) => {
    await using house = await open();

    const results = await Promise.all(Array.from({ length: 10 }, () => house.store.money.reserve(30, [day])));

    assert.equal(results.filter(({ type }) => type === 'reserved').length, 3);
    assert.equal(await house.store.money.spent('day'), 90);
  },

  'what it cost replaces what was set aside, once, also after a restart': async ({ open }) => {
    await using house = await open();
    const reserved = await house.store.money.reserve(60, [day, month, day]);
    assert.ok(reserved.type === 'reserved');

    const { money } = await house.reopen();
    assert.equal(await money.spent('day'), 60);
    await money.settle(reserved.id, 25);
    await money.settle(reserved.id, 99);

    assert.deepEqual([await money.spent('day'), await money.spent('month')], [25, 25]);
  },
};

import assert from 'node:assert/strict';
import type { ScheduleId } from '../../../src/base/ids.ts';
import type { Schedule } from '../../../src/model/store.ts';
import { ada, bob, chat } from '../../support/store-samples.ts';
import type { Promises } from './promises.ts';

function schedule(id: string, nextAt: number): Schedule {
  return { id: id as ScheduleId, address: chat('one'), person: ada, cron: '0 9 * * *', prompt: `do ${id}`, nextAt };
}

export const schedulePromises: Promises = {
  'schedules are kept, replaced and removed by their id': async ({ open }) => {
    await using house = await open();
    await house.store.schedules.put(schedule('late', 300));
    await house.store.schedules.put(schedule('early', 100));
    const changed = { ...schedule('late', 200), prompt: 'changed', address: { ...chat('two'), member: bob } };
    await house.store.schedules.put(changed);

    const store = await house.reopen();
    assert.deepEqual(await store.schedules.list(), [schedule('early', 100), changed]);
    assert.deepEqual(await store.schedules.due(99), []);
    assert.deepEqual(await store.schedules.due(100), [schedule('early', 100)]);

    await store.schedules.remove(schedule('early', 0).id);
    assert.deepEqual(await store.schedules.list(), [changed]);
  },

  'each slot is taken once, also when two try at the same moment': async ({ open }) => {
    await using house = await open();
    const { id } = schedule('daily', 100);
    await house.store.schedules.put(schedule('daily', 100));

    const claims = await Promise.all([
      house.store.schedules.claim(id, 100, 200),
      house.store.schedules.claim(id, 100, 200),
      house.store.schedules.claim(id, 150, 300),
    ]);

    assert.deepEqual(claims, [true, false, false]);
    assert.deepEqual(await house.store.schedules.list(), [schedule('daily', 200)]);
    assert.equal(await house.store.schedules.claim('sch_none' as ScheduleId, 1, 2), false);
  },

  'a slot that was taken stays taken when the schedule is written again for that time': async ({ open }) => {
    await using house = await open();
    const { id } = schedule('daily', 100);
    await house.store.schedules.put(schedule('daily', 100));
    assert.equal(await house.store.schedules.claim(id, 100, 200), true);

    await house.store.schedules.put(schedule('daily', 100));

    assert.deepEqual(await house.store.schedules.due(150), []);
    assert.equal(await house.store.schedules.claim(id, 100, 200), false);
    await house.store.schedules.put(schedule('daily', 200));
    assert.equal(await house.store.schedules.claim(id, 200, 300), true);
  },
};

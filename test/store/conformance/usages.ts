import assert from 'node:assert/strict';
import type { SessionId } from '../../../src/base/ids.ts';
import type { Usage } from '../../../src/model/provider.ts';
import { nameRuntime } from '../../../src/model/runtime.ts';
import type { UsageRecord } from '../../../src/model/store.ts';
import { inChat, newTurn } from '../../support/store-samples.ts';
import type { Promises } from './promises.ts';

const runtime = nameRuntime('openrouter', 'meta/llama:free');

function counts(fresh: number): Usage {
  return { fresh, cacheRead: 2, cacheWrite: 3, output: 5, reasoning: 4 };
}

function call(fresh: number): Pick<UsageRecord, 'runtime' | 'purpose' | 'usage' | 'cacheLife'> {
  return { runtime, purpose: 'answer', usage: counts(fresh), cacheLife: '1h' };
}

function freshOf(records: readonly UsageRecord[]): readonly number[] {
  return records.map(({ usage }) => usage.fresh);
}

export const usagePromises: Promises = {
  'what a call took comes back whole, with the time of its writing, also after a restart': async ({ open }) => {
    await using house = await open();
    const turn = newTurn(await house.store.sessions.at(inChat('one')));

    await house.store.usages.add(turn, call(1));
    house.clock.advance(1000);
    await house.store.usages.add(turn, { ...call(7), purpose: 'compaction', cacheLife: undefined });
    const store = await house.reopen();

    const at = house.clock.now();
    assert.deepEqual(await store.usages.list({}), [
      { ...turn, at: at - 1000, runtime, purpose: 'answer', usage: counts(1), cacheLife: '1h' },
      { ...turn, at, runtime, purpose: 'compaction', usage: counts(7), cacheLife: undefined },
    ]);
  },

  'usage is listed oldest first, of one session or of all, from a time on': async ({ open }) => {
    await using house = await open();
    const { usages, sessions } = house.store;
    const one = newTurn(await sessions.at(inChat('one')));
    const two = newTurn(await sessions.at(inChat('two')));
    await usages.add(one, call(1));
    house.clock.advance(1000);
    const since = house.clock.now();
    await usages.add(two, call(2));
    await usages.add(one, call(3));

    assert.deepEqual(freshOf(await usages.list({})), [1, 2, 3]);
    assert.deepEqual(freshOf(await usages.list({ since })), [2, 3]);
    assert.deepEqual(freshOf(await usages.list({ since: since + 1 })), []);
    assert.deepEqual(freshOf(await usages.list({ sessionId: one.sessionId })), [1, 3]);
    assert.deepEqual(freshOf(await usages.list({ sessionId: one.sessionId, since })), [3]);
    assert.deepEqual(await usages.list({ sessionId: 'ses_none' as SessionId }), []);
  },

  'what was used stays when its session is deleted, without its name': async ({ open }) => {
    await using house = await open();
    const { usages, sessions } = house.store;
    const gone = newTurn(await sessions.at(inChat('gone')));
    const kept = newTurn(await sessions.at(inChat('kept')));
    await usages.add(gone, call(1));
    await usages.add(kept, call(2));

    await sessions.delete(gone.sessionId);

    const left = await usages.list({});
    assert.deepEqual(
      left.map(({ sessionId, turnId, usage }) => ({ sessionId, turnId, fresh: usage.fresh })),
      [
        { sessionId: undefined, turnId: gone.turnId, fresh: 1 },
        { sessionId: kept.sessionId, turnId: kept.turnId, fresh: 2 },
      ],
    );
    assert.deepEqual(await usages.list({ sessionId: gone.sessionId }), []);
  },

  'usage is written with what else its transaction writes, or not at all': async ({ open }) => {
    await using house = await open();
    const turn = newTurn(await house.store.sessions.at(inChat('one')));

    const failing = house.store.transaction(async (tx) => {
      await tx.usages.add(turn, call(1));
      throw new Error('the rest failed');
    });

    await assert.rejects(failing, { message: 'the rest failed' });
    assert.deepEqual(await house.store.usages.list({}), []);
  },
};

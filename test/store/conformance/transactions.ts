import assert from 'node:assert/strict';
import type { NodeId } from '../../../src/base/ids.ts';
import type { StoreTx } from '../../../src/model/store.ts';
import {
  admit,
  answered,
  dueTexts,
  inChat,
  messageKey,
  newTurn,
  replyTo,
  sequence,
  settled,
  steered,
} from '../../support/store-samples.ts';
import type { Promises } from './promises.ts';

export const transactionPromises: Promises = {
  'a transaction changes several ports together and returns what its work returns': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const turn = await admit(house.store, session, 'hello');

    const result = await house.store.transaction(async (tx) => {
      const [logged] = await tx.turns.append(turn, [settled('bye')]);
      await tx.inbox.note(messageKey('m1'));
      await tx.outbox.enqueue(replyTo(session, 'bye'));
      assert.deepEqual(sequence(await tx.turns.after(session.id, 1)), [2]);
      return logged?.seq;
    });
    const store = await house.reopen();

    assert.equal(result, 2);
    assert.deepEqual(await store.turns.unsettled(), []);
    assert.equal(await store.inbox.note(messageKey('m1')), 'duplicate');
    assert.deepEqual(await dueTexts(store, house.clock.now()), ['bye']);
  },

  'a throw inside undoes all of it, in every port, and reaches the caller as it is': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const turn = await admit(house.store, session, 'hello');
    const thrown = new Error('changed my mind');
    const work = async (tx: StoreTx): Promise<void> => {
      await tx.turns.append(turn, [settled('bye')]);
      await tx.inbox.note(messageKey('m1'));
      await tx.outbox.enqueue(replyTo(session, 'bye'));
      await tx.leases.acquire('a', 'nod_1' as NodeId, 1000);
      await tx.blobs.put(session.id, 'text');
      await tx.money.reserve(10, [{ scope: 'day', limit: 100 }]);
      await tx.sessions.setTitle(session.id, 'changed');
      await tx.sessions.at(inChat('two'));
      throw thrown;
    };

    await assert.rejects(house.store.transaction(work), (error: unknown) => error === thrown);
    const store = await house.reopen();

    assert.deepEqual(sequence(await store.turns.after(session.id, 0)), [1]);
    assert.deepEqual(await store.turns.unsettled(), [turn]);
    assert.equal(await store.inbox.note(messageKey('m1')), 'new');
    assert.deepEqual(await dueTexts(store, house.clock.now()), []);
    assert.deepEqual(await store.leases.acquire('a', 'nod_2' as NodeId, 1000), { type: 'held', epoch: 1 });
    assert.equal(await store.money.spent('day'), 0);
    assert.equal((await store.sessions.get(session.id))?.title, 'hello');
    assert.equal((await store.sessions.list({ limit: 9 })).length, 1);
  },

  'a refusal inside undoes all of it, unless the work deals with it': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const turn = await admit(house.store, session, 'hello');
    const done = await admit(house.store, session, 'done');
    await house.store.turns.append(done, [settled()]);

    const refused = house.store.transaction(async (tx) => {
      await tx.turns.append(turn, [steered('lost')]);
      await tx.turns.append(done, [answered('late')]);
    });
    await assert.rejects(refused, { code: 'fenced' });
    await house.store.transaction(async (tx) => {
      await tx.turns.append(turn, [steered('kept')]);
      await assert.rejects(tx.turns.append(done, [answered('late')]), { code: 'fenced' });
    });

    const kept = (await house.store.turns.after(session.id, 3)).map(({ entry }) => entry);
    assert.deepEqual(kept, [steered('kept')]);
  },

  'no one sees what a transaction has written before it is over': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const seen: (readonly number[])[] = [];
    const look = async (): Promise<void> => {
      seen.push(sequence(await house.store.turns.after(session.id, 0)));
    };
    const looks: Promise<void>[] = [];

    await assert.rejects(
      house.store.transaction(async (tx) => {
        const admitting = admit(tx, session, 'never happened');
        looks.push(look());
        const turn = await admitting;
        looks.push(look());
        await tx.turns.append(turn, [answered('nor this')]);
        looks.push(look());
        throw new Error('no');
      }),
    );
    await Promise.all(looks);

    assert.deepEqual(seen, [[], [], []]);
  },

  'transactions at the same moment do not mix, and one that fails spares the others': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));

    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        house.store.transaction(async (tx) => {
          const turn = newTurn(session);
          const before = (await tx.turns.after(session.id, 0)).length;
          await tx.turns.append(turn, [steered(`a${index}`)]);
          await tx.turns.append(turn, [steered(`b${index}`)]);
          assert.equal((await tx.turns.after(session.id, 0)).length, before + 2);
          if (index % 4 === 0) throw new Error('no');
        }),
      ),
    );

    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 15);
    const kept = await house.store.turns.after(session.id, 0);
    assert.deepEqual(
      sequence(kept),
      Array.from({ length: 30 }, (_, index) => index + 1),
    );
    const texts = kept.map(({ entry }) => (entry.type === 'turn.steered' ? entry.parts : []));
    for (let index = 0; index < texts.length; index += 2) {
      const [first, second] = [JSON.stringify(texts[index]), JSON.stringify(texts[index + 1])];
      assert.equal(first.replace('"a', '"b'), second);
    }
  },

  'a transaction that is over takes no more calls': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    let kept: StoreTx | undefined;
    await house.store.transaction(async (tx) => {
      kept = tx;
    });

    await assert.rejects(admit(kept ?? house.store, session, 'late'), { code: 'store-failed' });
    assert.deepEqual(await house.store.turns.unsettled(), []);
  },

  'a closed store refuses, and keeps what was asked of it before': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));

    const appended = Array.from({ length: 700 }, (_, index) => admit(house.store, session, `hello ${index}`));
    const read = house.store.turns.unsettled();
    const closing = house.store.close();
    await assert.rejects(admit(house.store, session, 'late'), { code: 'store-closed' });
    await assert.rejects(house.store.sessions.get(session.id), { code: 'store-closed' });
    await assert.rejects(
      house.store.transaction(async () => undefined),
      { code: 'store-closed' },
    );
    await Promise.all([...appended, read, closing]);
    const store = await house.reopen();

    assert.equal((await store.turns.after(session.id, 0)).length, 700);
  },
};

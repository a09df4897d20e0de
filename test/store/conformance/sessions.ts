import assert from 'node:assert/strict';
import type { PersonId, SessionId } from '../../../src/base/ids.ts';
import type { FrozenPrompt } from '../../../src/model/session.ts';
import {
  ada,
  admit,
  answered,
  bob,
  dueTexts,
  inChat,
  newTurn,
  replyTo,
  settled,
  toolSaid,
} from '../../support/store-samples.ts';
import type { SessionFilter } from '../../../src/model/store.ts';
import type { Promises } from './promises.ts';

const prompt: FrozenPrompt = {
  signature: 'sig',
  system: 'You are\r\n "helpful" 😀',
  tools: [{ name: 'shell', description: 'runs', parameters: { type: 'object', properties: { z: {}, a: {} } } }],
};

export const sessionPromises: Promises = {
  'the session that answers at an address is found, and none is made where there is none': async ({ open }) => {
    await using house = await open();
    const { sessions } = house.store;
    const { address } = inChat('one');

    assert.equal(await sessions.find(address), undefined);
    assert.deepEqual(await sessions.list({ limit: 9 }), []);
    const first = await sessions.at(inChat('one'));
    assert.deepEqual(await sessions.find(address), first);
    const second = await sessions.renew(inChat('one'));

    assert.deepEqual(await sessions.find(address), second);
  },

  'an address has one session, also for callers at the same moment and after a restart': async ({ open }) => {
    await using house = await open();

    const found = await Promise.all(Array.from({ length: 10 }, () => house.store.sessions.at(inChat('one'))));
    const elsewhere = await house.store.sessions.at(inChat('two'));
    const store = await house.reopen();

    const [first] = found;
    assert.ok(first);
    assert.deepEqual(new Set(found.map(({ id }) => id)).size, 1);
    assert.notEqual(elsewhere.id, first.id);
    assert.deepEqual(await store.sessions.at(inChat('one')), first);
    const now = house.clock.now();
    assert.deepEqual(first, {
      id: first.id,
      ...inChat('one'),
      title: '',
      createdAt: now,
      activeAt: now,
      settings: {},
    });
  },

  'a session can be moved to another address, where it answers from then on': async ({ open }) => {
    await using house = await open();
    const moved = await house.store.sessions.at(inChat('one'));
    const left = await house.store.sessions.at(inChat('two'));
    const { address } = inChat('two');

    assert.deepEqual(await house.store.sessions.resume(moved.id, address), { ...moved, address });
    const person = 'another:one' as PersonId;
    assert.deepEqual(await house.store.sessions.resume(moved.id, address, person), { ...moved, address, person });
    assert.equal((await house.store.sessions.get(moved.id))?.person, person);
    const store = await house.reopen();

    assert.equal((await store.sessions.at(inChat('two'))).id, moved.id);
    assert.deepEqual(await store.sessions.get(left.id), left);
    assert.notEqual((await store.sessions.at(inChat('one'))).id, moved.id);
  },

  'the members of a chat have sessions and messages of their own beside those that they share': async ({ open }) => {
    await using house = await open();
    const { address: place, ...rest } = inChat('group');
    const everyone = [undefined, ada, bob].map((member) => ({ ...place, ...(member && { member }) }));
    const begun = [];
    for (const address of everyone) begun.push(await house.store.sessions.at({ address, ...rest }));
    for (const session of begun) await house.store.outbox.enqueue(replyTo(session, `to ${session.address.member}`));
    await house.store.sessions.renew({ address: { ...place, member: bob }, ...rest });

    const { sessions, outbox } = await house.reopen();

    const found = [];
    for (const address of everyone) found.push(await sessions.find(address));
    assert.deepEqual(found.slice(0, 2), begun.slice(0, 2));
    assert.notEqual(found[2]?.id, begun[2]?.id);
    const listed = await sessions.list({ chat: { ...place, member: ada }, limit: 9 });
    assert.deepEqual(listed, begun.slice(1, 2));
    const due = await outbox.due(place.platform, house.clock.now(), { ...place, member: bob });
    assert.deepEqual(
      due.map(({ message: { address, text } }) => [address, text]),
      [[{ ...place, member: bob }, `to ${bob}`]],
    );
    const [, own] = begun;
    assert.ok(own);
    const moved = await sessions.resume(own.id, { ...place, member: bob });
    assert.deepEqual([moved.address.member, (await sessions.get(own.id))?.address.member], [bob, bob]);
  },

  'the sessions of one chat can be listed, whatever their thread': async ({ open }) => {
    await using house = await open();
    const { address, ...others } = inChat('one');
    const here = await house.store.sessions.at(inChat('one'));
    const inThread = await house.store.sessions.at({ ...others, address: { ...address, thread: '7' } });
    await house.store.sessions.at(inChat('two'));

    const listed = await house.store.sessions.list({ chat: address, limit: 9 });

    assert.deepEqual(new Set(listed.map(({ id }) => id)), new Set([here.id, inThread.id]));
  },

  'a session that is resumed, or that something is chosen for, counts as active': async ({ open }) => {
    await using house = await open();
    const { store, clock } = house;
    const { id } = await store.sessions.at(inChat('one'));

    clock.advance(1000);
    const resumed = await store.sessions.resume(id);
    const afterResume = clock.now();
    clock.advance(1000);
    await store.sessions.configure(id, { effort: 'low' });

    assert.equal(resumed.activeAt, afterResume);
    assert.equal((await store.sessions.get(id))?.activeAt, clock.now());
  },

  'a renewed address is answered by a new session, and an old one can be resumed': async ({ open }) => {
    await using house = await open();
    const old = await house.store.sessions.at(inChat('one'));

    const fresh = await house.store.sessions.renew(inChat('one'));
    assert.notEqual(fresh.id, old.id);
    assert.equal((await house.store.sessions.at(inChat('one'))).id, fresh.id);
    assert.deepEqual(await house.store.sessions.get(old.id), { ...old, ended: 'replaced' });

    assert.deepEqual(await house.store.sessions.resume(old.id), old);
    assert.deepEqual(await house.store.sessions.get(old.id), old);
    assert.equal((await house.store.sessions.at(inChat('one'))).id, old.id);
    assert.equal((await house.store.sessions.get(fresh.id))?.id, fresh.id);
    await assert.rejects(house.store.sessions.resume('ses_none' as SessionId), { code: 'not-found' });
  },

  'sessions are listed with the most recently active first': async ({ open }) => {
    await using house = await open();
    const one = await house.store.sessions.at(inChat('one'));
    house.clock.advance(1);
    const two = await house.store.sessions.at(inChat('two', 'elsewhere'));
    house.clock.advance(1);
    const three = await house.store.sessions.at(inChat('three'));
    house.clock.advance(1);
    await admit(house.store, one, 'hello');

    const idsOf = async (filter: SessionFilter): Promise<readonly SessionId[]> =>
      (await house.store.sessions.list(filter)).map(({ id }) => id);
    assert.deepEqual(await idsOf({ limit: 10 }), [one.id, three.id, two.id]);
    assert.deepEqual(await idsOf({ limit: 2 }), [one.id, three.id]);
    assert.deepEqual(await idsOf({ platform: 'elsewhere', limit: 10 }), [two.id]);
    assert.deepEqual(await idsOf({ limit: 10, stage: 'begun' }), [one.id]);
    assert.deepEqual(await idsOf({ platform: 'elsewhere', person: two.person, limit: 10 }), [two.id]);
    assert.deepEqual(await idsOf({ person: 'someone:else' as PersonId, limit: 10 }), []);
  },

  'sessions are found by the beginning of their id, with or without the prefix, or its end, of three characters or more':
    async ({ open }) => {
      await using house = await open();
      const session = await house.store.sessions.at(inChat('one'));
      house.clock.advance(86_400_000);
      await house.store.sessions.at(inChat('two'));

      for (const typed of [
        session.id,
        session.id.slice(0, 20),
        session.id.slice(4, 20),
        session.id.toUpperCase(),
        session.id.slice(-8),
      ]) {
        const found = await house.store.sessions.matching(typed);
        assert.deepEqual(found, [session], typed);
      }
      assert.deepEqual(await house.store.sessions.matching('%'), []);
      assert.deepEqual(await house.store.sessions.matching(`_${session.id.slice(-7)}`), []);
      assert.deepEqual(await house.store.sessions.matching(`${session.id}x`), []);
      assert.equal((await house.store.sessions.matching('ses_')).length, 2);
      for (const short of [session.id.slice(-2), session.id.slice(4, 6), ''])
        assert.deepEqual(await house.store.sessions.matching(short), [], short);
    },

  'a frozen prompt comes back byte for byte, and a later one replaces it': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));

    await house.store.sessions.freeze(session.id, { ...prompt, signature: 'older' });
    await house.store.sessions.freeze(session.id, prompt);
    const store = await house.reopen();

    assert.equal(JSON.stringify(await store.sessions.frozenPrompt(session.id)), JSON.stringify(prompt));
    assert.equal(await store.sessions.frozenPrompt('ses_none' as SessionId), undefined);
    await assert.rejects(store.sessions.freeze('ses_none' as SessionId, prompt), { code: 'not-found' });
    await assert.rejects(store.sessions.setTitle('ses_none' as SessionId, 'x'), { code: 'not-found' });
  },

  'what was chosen for a session is kept for it alone, and a later choice replaces all of it': async ({ open }) => {
    await using house = await open();
    const one = await house.store.sessions.at(inChat('one'));
    const two = await house.store.sessions.at(inChat('two'));

    await house.store.sessions.configure(one.id, { model: 'anthropic:claude-opus-5-5', effort: 'high' });
    assert.deepEqual((await house.store.sessions.at(inChat('one'))).settings, {
      model: 'anthropic:claude-opus-5-5',
      effort: 'high',
    });
    await house.store.sessions.configure(one.id, { effort: 'low' });
    const store = await house.reopen();

    assert.deepEqual(await store.sessions.get(one.id), { ...one, settings: { effort: 'low' } });
    assert.deepEqual(await store.sessions.get(two.id), two);
    assert.deepEqual((await store.sessions.renew(inChat('one'))).settings, {});
    await assert.rejects(store.sessions.configure('ses_none' as SessionId, {}), { code: 'not-found' });
  },

  'a deleted session is gone from every port, and the others keep what is theirs': async ({ open }) => {
    await using house = await open();
    const gone = await house.store.sessions.at(inChat('gone'));
    const kept = await house.store.sessions.at(inChat('kept'));
    for (const session of [gone, kept]) {
      const turn = await admit(house.store, session, 'zebra crossing');
      await house.store.turns.append(turn, [toolSaid('zebra stripes'), answered('zebra')]);
      await house.store.outbox.enqueue(replyTo(session, `to ${session.address.chat}`));
      await house.store.blobs.put(session.id, 'shared');
    }
    const own = await house.store.blobs.put(gone.id, 'own');
    const shared = await house.store.blobs.put(kept.id, 'shared');

    await house.store.sessions.delete(gone.id);
    await house.store.sessions.delete(gone.id);
    const store = await house.reopen();

    assert.equal(await store.sessions.get(gone.id), undefined);
    assert.deepEqual(await store.turns.after(gone.id, 0), []);
    assert.deepEqual(new Set((await store.turns.unsettled()).map(({ sessionId }) => sessionId)), new Set([kept.id]));
    assert.deepEqual(new Set((await store.search.find('zebra', 9)).map((hit) => hit.sessionId)), new Set([kept.id]));
    assert.deepEqual(new Set((await store.search.find('ebra', 9)).map((hit) => hit.sessionId)), new Set([kept.id]));
    assert.deepEqual(await dueTexts(store, house.clock.now()), ['to kept']);
    assert.equal(await store.blobs.read(gone.id, own), undefined);
    assert.equal(await store.blobs.read(kept.id, shared), 'shared');
    assert.equal((await store.turns.after(kept.id, 0)).length, 3);
    await assert.rejects(store.turns.append(newTurn(gone), [answered('late')]), { code: 'not-found' });
    assert.notEqual((await store.sessions.at(inChat('gone'))).id, gone.id);
  },

  'pruning deletes what was last active before the time, and says how many': async ({ open }) => {
    await using house = await open();
    const old = await Promise.all(
      Array.from({ length: 45 }, (_, index) => house.store.sessions.at(inChat(`old ${index}`))),
    );
    const revived = old[7];
    assert.ok(revived);
    house.clock.advance(1000);
    const border = house.clock.now();
    await admit(house.store, revived, 'hello');
    const recent = await house.store.sessions.at(inChat('recent'));

    assert.equal((await house.store.prune(border)).length, 44);
    assert.equal((await house.store.prune(border)).length, 0);

    const left = await house.store.sessions.list({ limit: 100 });
    assert.deepEqual(new Set(left.map(({ id }) => id)), new Set([revived.id, recent.id]));
  },

  'pruning leaves a session with an unsettled turn, however old, until the turn is settled': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const turn = await admit(house.store, session, 'hello');
    house.clock.advance(1000);
    const whileOpen = await house.store.prune(house.clock.now());
    await house.store.turns.append(turn, [settled()]);
    house.clock.advance(1000);

    const whenSettled = await house.store.prune(house.clock.now());

    assert.deepEqual(whileOpen, []);
    assert.deepEqual(whenSettled, [session.id]);
  },
};

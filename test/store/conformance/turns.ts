import assert from 'node:assert/strict';
import { newId } from '../../../src/base/ids.ts';
import type { NodeId, SessionId, TurnId } from '../../../src/base/ids.ts';
import { textPart } from '../../../src/model/message.ts';
import type { TurnEntry, TurnRef } from '../../../src/model/turn.ts';
import {
  admit,
  admitted,
  ada,
  answered,
  inChat,
  newTurn,
  sequence,
  settled,
  steered,
} from '../../support/store-samples.ts';
import type { Promises } from './promises.ts';

const node = 'nod_1' as NodeId;
const other = 'nod_2' as NodeId;

export const turnPromises: Promises = {
  'entries come back as they were given, numbered from one without a gap': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const turn = newTurn(session);
    const first = [admitted('hello'), { type: 'turn.claimed', owner: node, epoch: 1 }] as const;
    const odd = answered('a zero \0, a half \ud83d, a whole 😀 and "quotes"');

    const appended = await house.store.turns.append(turn, first);
    house.clock.advance(5);
    await house.store.turns.append(turn, [odd]);
    const store = await house.reopen();

    const start = house.clock.now() - 5;
    const kept = await store.turns.after(session.id, 0);
    assert.deepEqual(appended, kept.slice(0, 2));
    assert.deepEqual(kept, [
      { ...turn, seq: 1, at: start, entry: first[0] },
      { ...turn, seq: 2, at: start, entry: first[1] },
      { ...turn, seq: 3, at: start + 5, entry: odd },
    ]);
    assert.deepEqual(sequence(await store.turns.after(session.id, 2)), [3]);
    assert.deepEqual(await store.turns.after(session.id, 3), []);
  },

  'writers of one session at the same time get numbers without gap or double, in the order of their calls': async ({
    open,
  }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const turn = newTurn(session);

    const appends = Array.from({ length: 300 }, (_, index) =>
      house.store.turns.append(turn, [steered(`a${index}`), steered(`b${index}`)]),
    );
    const results = await Promise.all(appends);

    assert.deepEqual(
      results.flatMap(sequence),
      Array.from({ length: 600 }, (_, index) => index + 1),
    );
    assert.deepEqual(await house.store.turns.after(session.id, 0), results.flat());
  },

  'every session counts for itself': async ({ open }) => {
    await using house = await open();
    const sessions = await Promise.all(['one', 'two', 'three'].map((name) => house.store.sessions.at(inChat(name))));

    await Promise.all(
      sessions.flatMap((session) => [admit(house.store, session, 'a'), admit(house.store, session, 'b')]),
    );

    for (const { id } of sessions) assert.deepEqual(sequence(await house.store.turns.after(id, 0)), [1, 2]);
  },

  'a settled turn takes no more entries, and a batch has nothing behind its result': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const turn = await admit(house.store, session, 'hello');

    await assert.rejects(house.store.turns.append(turn, [settled(), answered('late')]), { code: 'fenced' });
    await house.store.turns.append(turn, [settled()]);
    await assert.rejects(house.store.turns.append(turn, [answered('later')]), { code: 'fenced' });

    const kept = await house.store.turns.after(session.id, 0);
    assert.deepEqual(
      kept.map(({ entry }) => entry.type),
      ['turn.admitted', 'turn.settled'],
    );
  },

  'whoever holds an older epoch of the lease is fenced off, and leaves nothing': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const turn = await admit(house.store, session, 'hello');
    await house.store.leases.acquire('work', node, 1000);
    await house.store.turns.append(turn, [answered('mine')], { lease: 'work', epoch: 1 });

    house.clock.advance(1001);
    assert.deepEqual(await house.store.leases.acquire('work', other, 1000), { type: 'held', epoch: 2 });
    const late = house.store.turns.append(turn, [answered('late')], { lease: 'work', epoch: 1 });

    await assert.rejects(late, { code: 'fenced' });
    await house.store.turns.append(turn, [answered('theirs')], { lease: 'work', epoch: 2 });
    const kept = await house.store.turns.after(session.id, 0);
    assert.deepEqual(
      kept.map(({ entry }) => entry),
      [admitted('hello'), answered('mine'), answered('theirs')],
    );
  },

  'one append that is refused leaves those of the same moment untouched': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const turn = await admit(house.store, session, 'hello');
    const unknown = newTurn('ses_unknown' as SessionId);

    const results = await Promise.allSettled([
      house.store.turns.append(turn, [steered('before')]),
      house.store.turns.append(unknown, [admitted('lost')]),
      house.store.turns.append(turn, [steered('after')]),
    ]);

    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(sequence(await house.store.turns.after(session.id, 0)), [1, 2, 3]);
  },

  'a session that is not there takes no entries, nor does a turn of another session': async ({ open }) => {
    await using house = await open();
    const [one, two] = await Promise.all(['one', 'two'].map((name) => house.store.sessions.at(inChat(name))));
    assert.ok(one && two);
    const turn = await admit(house.store, one, 'hello');

    await assert.rejects(house.store.turns.append(newTurn('ses_none' as SessionId), [admitted('x')]), {
      code: 'not-found',
    });
    await assert.rejects(house.store.turns.append({ ...turn, sessionId: two.id }, [steered('x')]), {
      code: 'not-found',
    });
  },

  'unsettled turns stand in the order of their admission, whatever their ids say': async ({ open }) => {
    await using house = await open();
    const [one, two] = await Promise.all(['one', 'two'].map((name) => house.store.sessions.at(inChat(name))));
    assert.ok(one && two);
    const late = { sessionId: one.id, turnId: newId('turn', 9_000_000) };
    const early = { sessionId: one.id, turnId: newId('turn', 1_000) };
    const elsewhere = { sessionId: two.id, turnId: newId('turn', 5_000) };
    for (const turn of [late, elsewhere, early]) await house.store.turns.append(turn, [admitted('hello')]);

    assert.deepEqual(await house.store.turns.unsettled(), [late, elsewhere, early]);
    assert.deepEqual(await house.store.turns.unsettled(one.id), [late, early]);

    await house.store.turns.append(late, [settled()]);
    const store = await house.reopen();
    assert.deepEqual(await store.turns.unsettled(), [elsewhere, early]);
    assert.deepEqual(await store.turns.unsettled(one.id), [early]);
  },

  'a turn that interrupts another runs right behind it, and before everything that waited': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const [running, waiting, first, alsoFirst, second] = [1, 2, 3, 4, 5].map(() => newTurn(session));
    assert.ok(running && waiting && first && alsoFirst && second);
    const interrupting = async (turn: TurnRef, interrupts: TurnId): Promise<void> => {
      await house.store.turns.append(turn, [
        { type: 'turn.admitted', parts: [textPart('now')], person: ada, interrupts },
      ]);
    };
    const order = async (): Promise<readonly TurnId[]> =>
      (await house.store.turns.unsettled(session.id)).map(({ turnId }) => turnId);
    for (const turn of [running, waiting]) await house.store.turns.append(turn, [admitted('hello')]);

    await interrupting(first, running.turnId);
    await interrupting(alsoFirst, running.turnId);
    assert.deepEqual(
      await order(),
      [running, first, alsoFirst, waiting].map(({ turnId }) => turnId),
    );

    await house.store.turns.append(running, [settled()]);
    assert.deepEqual(
      await order(),
      [first, alsoFirst, waiting].map(({ turnId }) => turnId),
    );

    await interrupting(second, first.turnId);
    await house.store.turns.append(first, [settled()]);
    await house.reopen();
    assert.deepEqual(
      await order(),
      [second, alsoFirst, waiting].map(({ turnId }) => turnId),
    );
    const [next] = await house.store.turns.unsettled(session.id);
    assert.deepEqual(next, { ...second, interrupts: first.turnId });
  },

  'the message that a turn answers stays with it for as long as it waits': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const [turn, second] = [newTurn(session), newTurn(session)];
    const said = { place: 'telegram/1/2/', id: '17' };
    await house.store.turns.append(turn, [
      { type: 'turn.admitted', parts: [textPart('hello')], person: ada, replyTo: said },
    ]);
    await house.store.turns.append(second, [admitted('hello')]);

    const store = await house.reopen();

    assert.deepEqual(await store.turns.unsettled(session.id), [{ ...turn, replyTo: said }, second]);
  },

  'a session becomes active when something is said in it and when a turn ends': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const turn = newTurn(session);

    for (const entry of [admitted('hello'), steered('and this'), settled('bye')]) {
      house.clock.advance(1000);
      await house.store.turns.append(turn, [entry]);
      assert.equal((await house.store.sessions.get(session.id))?.activeAt, house.clock.now(), entry.type);
    }
  },

  'an admission gives its session a title from the first line that was said': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const named = await house.store.sessions.at(inChat('two'));
    await house.store.sessions.setTitle(named.id, 'my title');
    const long = `\n  plan   a\ttrip ${'to the sea '.repeat(10)}\nsecond line`;
    const entry: TurnEntry = { type: 'turn.admitted', parts: [textPart(long)], person: ada };

    await house.store.turns.append(newTurn(session), [entry]);
    await house.store.turns.append(newTurn(named), [entry]);

    const after = await house.store.sessions.get(session.id);
    assert.equal(after?.title, 'plan a trip to the sea to the sea to the sea to the sea to…');
    assert.ok(Array.from(after.title).length <= 60);
    assert.equal((await house.store.sessions.get(named.id))?.title, 'my title');
  },
};

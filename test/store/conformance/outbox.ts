import assert from 'node:assert/strict';
import type { OutboxId } from '../../../src/base/ids.ts';
import type { Receipt } from '../../../src/model/channel.ts';
import type { StoreHouse } from '../../support/store-house.ts';
import { admit, dueTexts, inChat, replyTo } from '../../support/store-samples.ts';
import type { Promises } from './promises.ts';

const sent: Receipt = { type: 'sent', platformId: 'p1' };

async function enqueue(house: StoreHouse, name: string, texts: readonly string[]): Promise<readonly OutboxId[]> {
  const session = await house.store.sessions.at(inChat(name));
  return await Promise.all(texts.map((text) => house.store.outbox.enqueue(replyTo(session, text))));
}

async function send(house: StoreHouse, id: OutboxId | undefined, receipt: Receipt): Promise<void> {
  assert.ok(id);
  await house.store.outbox.sending(id);
  await house.store.outbox.settle(id, receipt, house.clock.now());
}

async function stateOf(house: StoreHouse, id: OutboxId | undefined): Promise<string> {
  assert.ok(id);
  const found = await house.store.outbox.get(id);
  return `${found?.state} after ${found?.attempts}`;
}

export const outboxPromises: Promises = {
  'the messages of a session stay readable in order, each behind the entries that it followed': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const [early] = await enqueue(house, 'one', ['early']);
    await admit(house.store, session, 'hello');
    const [late] = await enqueue(house, 'one', ['late']);
    await enqueue(house, 'two', ['of another session']);
    await send(house, early, sent);

    const kept = await house.store.outbox.after(session.id, 0);

    assert.deepEqual(
      kept.map(({ afterSeq, at, message }) => ({ afterSeq, at, id: message.id, text: message.text })),
      [
        { afterSeq: 0, at: house.clock.now(), id: early, text: 'early' },
        { afterSeq: 1, at: house.clock.now(), id: late, text: 'late' },
      ],
    );
    assert.deepEqual(await house.store.outbox.after(session.id, kept[0]?.number ?? 0), kept.slice(1));
  },

  'what is due at one address can be asked for by itself': async ({ open }) => {
    await using house = await open();
    await enqueue(house, 'one', ['a']);
    await enqueue(house, 'two', ['b', 'c']);

    const due = await house.store.outbox.due('test', house.clock.now(), inChat('two').address);

    assert.deepEqual(
      due.map(({ message }) => message.text),
      ['b', 'c'],
    );
  },

  'a message that has arrived by being written down is kept and never due': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));

    const id = await house.store.outbox.enqueue({ ...replyTo(session, 'a'), state: 'sent' });

    assert.equal(await stateOf(house, id), 'sent after 0');
    assert.deepEqual(await dueTexts(house.store, house.clock.now()), []);
    assert.equal((await house.store.outbox.after(session.id, 0)).length, 1);
  },

  'messages of an address are due in the order in which they were queued': async ({ open }) => {
    await using house = await open();
    await enqueue(house, 'one', ['a', 'b', 'c']);
    await enqueue(house, 'two', ['d']);
    const session = await house.store.sessions.at(inChat('three', 'elsewhere'));
    const elsewhere = await house.store.outbox.enqueue(replyTo(session, 'e'));

    assert.deepEqual(await dueTexts(house.store, house.clock.now()), ['a', 'b', 'c', 'd']);
    const [only] = await house.store.outbox.due('elsewhere', house.clock.now());
    const { address } = session;
    const message = { id: elsewhere, address, kind: 'reply', text: 'e', copy: 'first', digest: undefined };
    assert.deepEqual(only, { message, attempts: 0, state: 'queued' });
    assert.deepEqual(await house.store.outbox.get(elsewhere), only);
  },

  'the files of a message stay with it, in their order': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const files = [
      { path: '/tmp/b.png', name: 'b.png', kind: 'picture' },
      { path: '/tmp/a', name: 'a', kind: 'file' },
    ] as const;
    const id = await house.store.outbox.enqueue({ ...replyTo(session, 'look'), files });

    const store = await house.reopen();

    assert.deepEqual((await store.outbox.get(id))?.message.files, files);
  },

  'the message that one is a reply to stays with it': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const id = await house.store.outbox.enqueue({ ...replyTo(session, 'yes'), replyTo: '17' });

    const store = await house.reopen();

    assert.equal((await store.outbox.get(id))?.message.replyTo, '17');
  },

  'what was sent in part comes back as a repeat to another run, and to this one as it was': async ({ open }) => {
    await using house = await open();
    const [a] = await enqueue(house, 'one', ['a']);
    assert.ok(a);

    await send(house, a, { type: 'retry', afterMs: 0, reason: 'flood', seen: 'maybe' });
    await send(house, a, { type: 'retry', afterMs: 0, reason: 'flood' });
    const copies = [(await house.store.outbox.get(a))?.message.copy];
    const store = await house.reopen();
    copies.push((await store.outbox.get(a))?.message.copy);
    await send(house, a, { type: 'retry', afterMs: 0, reason: 'flood' });
    copies.push((await store.outbox.get(a))?.message.copy);

    assert.deepEqual(copies, ['first', 'repeat', 'repeat']);
  },

  'what is sent or refused never comes back, and does not hold up the next': async ({ open }) => {
    await using house = await open();
    const [a, b] = await enqueue(house, 'one', ['a', 'b', 'c']);

    await send(house, a, sent);
    await send(house, b, { type: 'refused', reason: 'blocked' });
    await house.reopen();

    assert.deepEqual(await dueTexts(house.store, house.clock.now()), ['c']);
    assert.equal(await stateOf(house, a), 'sent after 1');
    assert.equal(await stateOf(house, b), 'failed after 1');
    assert.ok(a);
    await assert.rejects(house.store.outbox.sending(a), { code: 'not-found' });
    await house.store.outbox.settle(a, { type: 'retry', afterMs: 0, reason: 'late' }, house.clock.now());
    assert.equal(await stateOf(house, a), 'sent after 1');
  },

  'a message under way is not due, nor is one behind it at the same address': async ({ open }) => {
    await using house = await open();
    const [a] = await enqueue(house, 'one', ['a', 'b']);
    await enqueue(house, 'two', ['c']);
    assert.ok(a);

    await house.store.outbox.sending(a);

    assert.deepEqual(await dueTexts(house.store, house.clock.now()), ['c']);
  },

  'a message to be tried again waits its time and keeps its place': async ({ open }) => {
    await using house = await open();
    const [a] = await enqueue(house, 'one', ['a', 'b']);
    await enqueue(house, 'two', ['c']);

    await send(house, a, { type: 'retry', afterMs: 500, reason: 'slow down' });

    assert.deepEqual(await dueTexts(house.store, house.clock.now()), ['c']);
    house.clock.advance(499);
    assert.deepEqual(await dueTexts(house.store, house.clock.now()), ['c']);
    house.clock.advance(1);
    assert.deepEqual(await dueTexts(house.store, house.clock.now()), ['a', 'b', 'c']);
    assert.equal(await stateOf(house, a), 'queued after 1');
  },

  'where something waits is known, with the time of the first in line': async ({ open }) => {
    await using house = await open();
    const [a, b] = await enqueue(house, 'one', ['a', 'b']);
    const [c] = await enqueue(house, 'two', ['c']);
    await enqueue(house, 'three', ['d']);
    await send(house, a, sent);
    await send(house, b, { type: 'retry', afterMs: 500, reason: 'slow down' });
    await send(house, c, sent);

    const store = await house.reopen();

    assert.deepEqual(await store.outbox.waiting('test'), [
      { address: inChat('one').address, at: house.clock.now() + 500 },
      { address: inChat('three').address, at: 0 },
    ]);
    assert.deepEqual(await store.outbox.waiting('elsewhere'), []);
  },

  'a message past its time expires, and those behind it go on': async ({ open }) => {
    await using house = await open();
    const session = await house.store.sessions.at(inChat('one'));
    const now = house.clock.now();
    const stale = await house.store.outbox.enqueue(replyTo(session, 'stale', now + 10));
    await house.store.outbox.enqueue(replyTo(session, 'fresh'));

    assert.deepEqual(await dueTexts(house.store, now + 10), ['stale', 'fresh']);
    assert.deepEqual(await dueTexts(house.store, now + 11), ['fresh']);
    await house.reopen();
    assert.equal(await stateOf(house, stale), 'expired after 0');
    assert.deepEqual(await dueTexts(house.store, now), ['fresh']);
  },

  'what an earlier process was sending comes back as a repeat, in its place': async ({ open }) => {
    await using house = await open();
    const [a] = await enqueue(house, 'one', ['a', 'b']);
    assert.ok(a);
    await house.store.outbox.sending(a);

    await house.reopen();

    assert.deepEqual(await dueTexts(house.store, house.clock.now()), ['a (repeat)', 'b']);
    await house.store.outbox.sending(a);
    assert.equal((await house.store.outbox.get(a))?.message.copy, 'repeat');
    await house.store.outbox.settle(a, { type: 'retry', afterMs: 0, reason: 'busy' }, house.clock.now());
    assert.deepEqual(await dueTexts(house.store, house.clock.now()), ['a (repeat)', 'b']);
    assert.equal(await stateOf(house, a), 'queued after 2');
  },

  'a send whose outcome is unknown is repeated once, marked, and then given up': async ({ open }) => {
    await using house = await open();
    const [a] = await enqueue(house, 'one', ['a']);
    const unknown: Receipt = { type: 'unknown', reason: 'timed out' };

    await send(house, a, unknown);
    assert.deepEqual(await dueTexts(house.store, house.clock.now()), ['a (repeat)']);
    await send(house, a, unknown);

    assert.deepEqual(await dueTexts(house.store, house.clock.now()), []);
    assert.equal(await stateOf(house, a), 'failed after 2');
  },
};

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { Deliveries } from '../../src/gateway/deliveries.ts';
import type { Receipt } from '../../src/model/channel.ts';
import { ScriptedChannel } from '../support/scripted-channel.ts';
import { openStoreHouse } from '../support/store-house.ts';
import type { StoreHouse } from '../support/store-house.ts';
import { chat, inChat, replyTo } from '../support/store-samples.ts';
import * as sqlite from '../support/store-sqlite-opener.ts';

interface Bench extends AsyncDisposable {
  readonly house: StoreHouse;
  readonly channel: ScriptedChannel;
  readonly deliveries: Deliveries;
  openWith(clock: Clock): Deliveries;
  /** Ends the sender and makes another on the same store, as the next start does. */
  restart(): Promise<Deliveries>;
}

async function openBench(): Promise<Bench> {
  const resources = new AsyncDisposableStack();
  const house = resources.use(await openStoreHouse(sqlite));
  const channel = new ScriptedChannel();
  const openWith = (clock: Clock): Deliveries =>
    new Deliveries({
      outbox: house.store.outbox,
      channels: [channel],
      channelFor: (address) => (channel.serves(address) ? channel : undefined),
      clock,
      faults: undefined,
      log: silentLog,
    });
  const create = (): Deliveries => openWith(house.clock);
  let deliveries = create();
  resources.defer(() => deliveries[Symbol.asyncDispose]());
  return {
    house,
    channel,
    openWith,
    get deliveries() {
      return deliveries;
    },
    async restart() {
      await deliveries[Symbol.asyncDispose]();
      await house.reopen();
      deliveries = create();
      return deliveries;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function enqueue(
  { store }: StoreHouse,
  name: string,
  texts: readonly string[],
  notAfter?: number,
): Promise<void> {
  const session = await store.sessions.at(inChat(name));
  for (const text of texts) await store.outbox.enqueue(replyTo(session, text, notAfter));
}

const retry: Receipt = { type: 'retry', afterMs: 3000, reason: 'too many requests' };
const unknown: Receipt = { type: 'unknown', reason: 'timed out' };

test('two who deliver at once send everything once', async () => {
  await using bench = await openBench();
  await enqueue(bench.house, 'one', ['a', 'b']);

  await Promise.all([bench.deliveries.deliver(chat('one')), bench.deliveries.deliver(chat('one'))]);

  assert.deepEqual(bench.channel.texts, ['a', 'b']);
});

test('a message that has to wait longer than the one before it had to is sent when its own time has come', async () => {
  await using bench = await openBench();
  const { clock } = bench.house;
  bench.channel.receipts.push(unknown);
  await enqueue(bench.house, 'one', ['a']);
  await bench.deliveries.deliver(chat('one'));

  // Sent along with what comes next, before its own pause is over.
  bench.channel.receipts.push({ type: 'sent', platformId: '1' }, retry);
  await enqueue(bench.house, 'one', ['b']);
  await bench.deliveries.deliver(chat('one'));
  clock.advance(1000);
  // The look that was meant for the first one, and one behind it: neither finds anything that is due.
  await bench.deliveries.deliver(chat('one'));
  await bench.deliveries.deliver(chat('one'));
  clock.advance(2000);
  await bench.channel.whenSent(4);

  assert.deepEqual(bench.channel.texts, ['a', 'a (repeat)', 'b', 'b']);
});

test('a timer that rings too early costs no message: it is waited for again', async () => {
  await using bench = await openBench();
  const { clock } = bench.house;
  bench.channel.receipts.push(retry);
  await enqueue(bench.house, 'one', ['a']);
  const early: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep: (ms, signal) => clock.sleep(ms > 5 ? ms - 5 : ms, signal),
  };
  await using deliveries = bench.openWith(early);
  await deliveries.deliver(chat('one'));

  clock.advance(2995);
  await clock.whenSomeoneSleeps();
  clock.advance(5);
  await bench.channel.whenSent(2);

  assert.deepEqual(bench.channel.texts, ['a', 'a']);
});

test('what was written while something is sent goes out before the second call resolves', async () => {
  await using bench = await openBench();
  const gate = Promise.withResolvers<Receipt>();
  bench.channel.receipts.push(gate.promise);
  await enqueue(bench.house, 'one', ['a']);
  const first = bench.deliveries.deliver(chat('one'));
  await bench.channel.whenSent(1);
  await enqueue(bench.house, 'one', ['b']);

  const second = bench.deliveries.deliver(chat('one'));
  gate.resolve({ type: 'sent', platformId: '1' });
  await Promise.all([first, second]);

  assert.deepEqual(bench.channel.texts, ['a', 'b']);
});

test('a chat that is slow holds up no other', async () => {
  await using bench = await openBench();
  const gate = Promise.withResolvers<Receipt>();
  bench.channel.receipts.push(gate.promise);
  await enqueue(bench.house, 'slow', ['a']);
  await enqueue(bench.house, 'quick', ['b']);
  const slow = bench.deliveries.deliver(chat('slow'));
  await bench.channel.whenSent(1);

  await bench.deliveries.deliver(chat('quick'));

  assert.deepEqual(bench.channel.texts, ['a', 'b']);
  gate.resolve({ type: 'sent', platformId: '1' });
  await slow;
});

test('what has to be sent again holds back what is behind it, and goes out by itself when its time has come', async () => {
  await using bench = await openBench();
  bench.channel.receipts.push(retry);
  await enqueue(bench.house, 'one', ['a', 'b']);

  await bench.deliveries.deliver(chat('one'));
  assert.deepEqual(bench.channel.texts, ['a']);
  bench.house.clock.advance(3000);
  await bench.channel.whenSent(3);

  assert.deepEqual(bench.channel.texts, ['a', 'a', 'b']);
});

test('a send whose outcome nobody knows is repeated by itself, marked, before what is behind it', async () => {
  await using bench = await openBench();
  bench.channel.receipts.push(unknown);
  await enqueue(bench.house, 'one', ['a', 'b']);

  await bench.deliveries.deliver(chat('one'));
  assert.deepEqual(bench.channel.texts, ['a']);
  bench.house.clock.advance(1000);
  await bench.channel.whenSent(3);

  assert.deepEqual(bench.channel.texts, ['a', 'a (repeat)', 'b']);
});

test('it is tried less and less often, until its time is over', async () => {
  await using bench = await openBench();
  const { house, channel, deliveries } = bench;
  const busy: Receipt = { type: 'retry', afterMs: 0, reason: 'busy' };
  channel.receipts.push(busy, busy, busy, busy);
  const start = house.clock.now();
  await enqueue(house, 'one', ['a'], start + 6000);

  const triedAt: number[] = [];
  await deliveries.deliver(chat('one'));
  for (let second = 1; second <= 20; second += 1) {
    house.clock.advance(1000);
    await deliveries.deliver(chat('one'));
    if (channel.sent.length > triedAt.length + 1) triedAt.push(second);
  }

  assert.deepEqual(triedAt, [1, 3]);
});

test('the next start goes on with what waits, at its time', async () => {
  await using bench = await openBench();
  bench.channel.receipts.push(retry);
  await enqueue(bench.house, 'one', ['a']);
  await enqueue(bench.house, 'two', ['b']);
  await bench.deliveries.deliver(chat('one'));

  const next = await bench.restart();
  await next.goOn();
  bench.house.clock.advance(0);
  await bench.channel.whenSent(2);
  assert.deepEqual(bench.channel.texts, ['a', 'b']);
  bench.house.clock.advance(3000);
  await bench.channel.whenSent(3);

  assert.deepEqual(bench.channel.texts, ['a', 'b', 'a']);
});

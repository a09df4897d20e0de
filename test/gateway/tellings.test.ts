import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../src/base/json.ts';
import type { Log } from '../../src/base/log.ts';
import { Deliveries } from '../../src/gateway/deliveries.ts';
import { Tellings } from '../../src/gateway/tellings.ts';
import type { Receipt } from '../../src/model/channel.ts';
import { ScriptedChannel } from '../support/scripted-channel.ts';
import { openStoreHouse } from '../support/store-house.ts';
import type { StoreHouse } from '../support/store-house.ts';
import { inChat } from '../support/store-samples.ts';
import * as sqlite from '../support/store-sqlite-opener.ts';

const retry: Receipt = { type: 'retry', afterMs: 3000, reason: 'too many requests' };
const unknown: Receipt = { type: 'unknown', reason: 'timed out' };
const refused: Receipt = { type: 'refused', reason: 'blocked' };

interface Bench extends AsyncDisposable {
  readonly house: StoreHouse;
  readonly channel: ScriptedChannel;
  readonly tellings: Tellings;
  readonly noted: JsonObject[];
}

async function openBench(): Promise<Bench> {
  const resources = new AsyncDisposableStack();
  const house = resources.use(await openStoreHouse(sqlite));
  const { store, clock } = house;
  const channel = new ScriptedChannel();
  const noted: JsonObject[] = [];
  const log: Log = { write: (_level, message, fields) => noted.push({ message, ...fields }) };
  const stopping = new AbortController();
  const deliveries = resources.use(
    new Deliveries({
      outbox: store.outbox,
      channels: [channel],
      channelFor: (address) => (channel.serves(address) ? channel : undefined),
      clock,
      faults: undefined,
      log,
    }),
  );
  const deliver: Deliveries['deliver'] = (address) => deliveries.deliver(address);
  const { signal } = stopping;
  const tellings = resources.use(new Tellings({ store, channelFor: () => channel, deliver, clock, log, signal }));
  resources.defer(() => stopping.abort());
  return { house, channel, tellings, noted, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

test('an answer waits in the outbox until the chat can take it', async () => {
  await using bench = await openBench();
  bench.channel.receipts.push(retry);

  await bench.tellings.answer(inChat('one'), 'Nothing is running.');
  await bench.channel.whenSent(1);
  await bench.house.clock.whenSomeoneSleeps();
  bench.house.clock.advance(3000);
  await bench.channel.whenSent(2);

  assert.deepEqual(bench.channel.texts, ['Nothing is running.', 'Nothing is running.']);
});

test('an answer that cannot be kept is shown at once', async () => {
  await using bench = await openBench();
  await bench.house.store.close();

  await bench.tellings.answer(inChat('one'), 'Stopping.');
  await bench.channel.whenSent(1);

  assert.deepEqual(bench.channel.texts, ['Stopping.']);
});

test('a line for someone without a session is tried again when the chat is flooded, and once, marked, when nobody can tell', async () => {
  await using bench = await openBench();
  const { clock } = bench.house;
  bench.channel.receipts.push(retry, unknown);

  bench.tellings.tell(inChat('one').address, 'Your code: 1234');
  for (const [count, pauseMs] of [
    [1, 3000],
    [2, 1000],
  ] as const) {
    await bench.channel.whenSent(count);
    await clock.whenSomeoneSleeps();
    clock.advance(pauseMs);
  }
  await bench.channel.whenSent(3);

  assert.deepEqual(bench.channel.texts, ['Your code: 1234', 'Your code: 1234', 'Your code: 1234 (repeat)']);
});

test('a line that is given up is in the log', async () => {
  await using bench = await openBench();
  bench.channel.receipts.push(refused);

  bench.tellings.tell(inChat('one').address, 'Your code: 1234');
  await bench.tellings[Symbol.asyncDispose]();

  assert.deepEqual(bench.noted, [{ message: 'a line was not shown', reason: 'blocked' }]);
});

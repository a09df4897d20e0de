import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChannelState } from '../../../src/model/channel-state.ts';
import { refuses } from '../../support/telegram-server-faults.ts';
import { nextText, openTelegram } from './bench.ts';

test('a second program on the same token is told as the reason why nothing comes, until it is gone', async () => {
  await using bench = await openTelegram();
  const conflict = 'Conflict: terminated by other getUpdates request';
  bench.server.fail('getUpdates', refuses(409, conflict));
  const told: ChannelState[] = [];
  const stopping = new AbortController();

  const received = bench.channel.receive(stopping.signal, (state) => told.push(state))[Symbol.asyncIterator]();
  const text = nextText(received);
  await bench.whenAsleepFor(20_000);
  const meanwhile = told.at(-1);
  bench.clock.advance(20_000);
  // The poll that shows that it is gone does not wait for a message, as those before and after it do.
  await bench.server.whenCalled('getUpdates', 3);
  const afterwards = told.at(-1);
  const waits = bench.server.callsOf('getUpdates').map(({ timeout }) => Number(timeout));
  bench.server.say('hello');

  assert.equal(await text, 'hello');
  assert.deepEqual(waits, [30, 0, 30]);
  assert.deepEqual(told[0], { type: 'connecting' });
  assert.deepEqual(meanwhile, { type: 'retrying', reason: `another program uses the same token (${conflict})` });
  assert.deepEqual(afterwards, { type: 'served' });
  stopping.abort();
});

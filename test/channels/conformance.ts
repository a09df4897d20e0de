import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../src/base/ids.ts';
import type { Channel, Inbound, Outbound } from '../../src/model/channel.ts';
import type { Address } from '../../src/model/session.ts';

/** A channel with someone at its other end, to be played by the test of each platform. */
export interface ChannelBench extends AsyncDisposable {
  readonly channel: Channel;
  readonly address: Address;
  /** The person says something. */
  say(text: string): void;
  /** The person answers a question. */
  answer(digest: string): void;
  /** What the person sees, in order. */
  readonly seen: readonly string[];
}

/** Holds a channel to what the port promises. */
export function describeChannelConformance(name: string, open: () => Promise<ChannelBench>): void {
  describe(name, () => {
    test('it serves its own addresses and no others', async () => {
      await using bench = await open();

      assert.equal(bench.channel.name, bench.address.platform);
      assert.equal(bench.channel.serves(bench.address), true);
      assert.equal(bench.channel.serves({ ...bench.address, platform: 'elsewhere' }), false);
    });

    test('what is said arrives in order, each under a key of its own', async () => {
      await using bench = await open();
      const received = bench.channel.receive(new AbortController().signal)[Symbol.asyncIterator]();

      bench.say('one');
      bench.say('one');
      const inbounds = [await next(received), await next(received)];

      assert.deepEqual(
        inbounds.map((inbound) => inbound.type === 'message' && inbound.parts),
        [[{ type: 'text', text: 'one' }], [{ type: 'text', text: 'one' }]],
      );
      const keys = inbounds.map((inbound) => (inbound.type === 'message' ? inbound.key.messageId : ''));
      assert.notEqual(keys[0], keys[1]);
      assert.deepEqual(inbounds[0]?.address, bench.address);
    });

    test('an answer names the question that it answers', async () => {
      await using bench = await open();
      const received = bench.channel.receive(new AbortController().signal)[Symbol.asyncIterator]();

      bench.answer('digest-of-the-act');
      const inbound = await next(received);

      assert.equal(inbound.type === 'answer' && inbound.digest, 'digest-of-the-act');
    });

    test('what is sent is seen, and its receipt says so', async () => {
      await using bench = await open();
      const message: Outbound = {
        id: newId('outbox', 0),
        address: bench.address,
        kind: 'reply',
        text: 'hello',
        copy: 'first',
        digest: undefined,
      };

      const receipt = await bench.channel.send(message, new AbortController().signal);

      assert.equal(receipt.type, 'sent');
      assert.deepEqual(bench.seen, ['hello']);
    });
  });
}

async function next(received: AsyncIterator<Inbound>): Promise<Inbound> {
  const result = await received.next();
  assert.ok(result.done !== true, 'the channel ended');
  return result.value;
}

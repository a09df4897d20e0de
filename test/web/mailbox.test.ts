import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Mailbox } from '../../src/web/mailbox.ts';
import { ManualClock } from '../support/manual-clock.ts';

const { signal } = new AbortController();

function working(text: string): { readonly type: 'working'; readonly text: string; readonly status: string } {
  return { type: 'working', text, status: '' };
}

test('a reply that grows is told at once, then only now and then, and always as it is by then', async () => {
  const clock = new ManualClock();
  const mail = new Mailbox(clock);

  mail.put(working('a'));
  assert.deepEqual(await mail.take(1000, signal), [working('a')]);
  for (const text of ['ab', 'abc', 'abcd']) mail.put(working(text));
  const next = mail.take(1000, signal);
  clock.advance(40);

  assert.deepEqual(await next, [working('abcd')]);
});

test('nothing else waits for a reply that grows, and what is over grows no more', async () => {
  const clock = new ManualClock();
  const mail = new Mailbox(clock);
  mail.put(working('a'));
  await mail.take(1000, signal);

  mail.put(working('ab'));
  mail.put({ type: 'kept' });
  assert.deepEqual(await mail.take(1000, signal), [{ type: 'kept' }, working('ab')]);
  mail.put(working('abc'));
  mail.put({ type: 'over' });

  assert.deepEqual(await mail.take(1000, signal), [{ type: 'over' }]);
});

test('where nothing comes the wait ends, and so it does with an abort', async () => {
  const clock = new ManualClock();
  const mail = new Mailbox(clock);
  const stopping = new AbortController();

  const quiet = mail.take(1000, signal);
  clock.advance(1000);
  const stopped = mail.take(1000, stopping.signal);
  stopping.abort();

  assert.deepEqual([await quiet, await stopped], [[], []]);
});

test('a reader that takes nothing holds only so much, and has to begin anew', async () => {
  const mail = new Mailbox(new ManualClock());

  for (let count = 0; count < 10_000; count += 1) mail.put({ type: 'over' });

  assert.equal(await mail.take(1000, signal), 'overflow');
});

test('what goes on in the chats is told at once, then at most now and then, and holds up nothing', async () => {
  const clock = new ManualClock();
  const mail = new Mailbox(clock);

  mail.put({ type: 'chats' });
  assert.deepEqual(await mail.take(1000, signal), [{ type: 'chats' }]);
  for (let count = 0; count < 10_000; count += 1) mail.put({ type: 'chats' });
  mail.put({ type: 'over' });
  assert.deepEqual(await mail.take(1000, signal), [{ type: 'over' }]);
  const next = mail.take(1000, signal);
  clock.advance(500);

  assert.deepEqual(await next, [{ type: 'chats' }]);
});

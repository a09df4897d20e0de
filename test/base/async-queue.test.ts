import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AsyncQueue } from '../../src/base/async-queue.ts';

test('everything pushed before the close arrives in order, whether the reader was there or not', async () => {
  const queue = new AsyncQueue<number>();
  queue.push(1);
  const read = Array.fromAsync(queue);
  queue.push(2);
  await Promise.resolve();
  queue.push(3);
  queue.close();
  queue.push(4);

  assert.deepEqual(await read, [1, 2, 3]);
});

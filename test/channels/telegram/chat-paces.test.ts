import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChatPaces } from '../../../src/channels/telegram/chat-paces.ts';

test('a chat waits for its own time alone, and is forgotten once that has passed', () => {
  const paces = new ChatPaces();
  for (let chat = 0; chat < 100; chat += 1) paces.holdUp(String(chat), 1000, 5000);
  paces.holdUp('slow', 3000, 5000);

  const waits = ['0', 'slow', 'another'].map((chat) => paces.waitMs(chat, 5400));
  const held = paces.size;
  paces.holdUp('0', 1000, 6000);

  assert.deepEqual(waits, [600, 2600, 0]);
  assert.equal(held, 101);
  assert.equal(paces.size, 2);
  assert.deepEqual([paces.waitMs('0', 6000), paces.waitMs('slow', 6000)], [1000, 2000]);
});

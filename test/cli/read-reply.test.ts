import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replyPrompt } from '../../src/cli/read-reply.ts';

test('the prompt of a question has room beside it on every screen that is wide enough for its letters', () => {
  const offers = [undefined, { atMost: 'session', label: 'x' }, { atMost: 'always', label: 'x' }] as const;
  for (const offer of offers) {
    for (let columns = 30; columns <= 120; columns += 1) {
      const prompt = replyPrompt(offer, columns);
      assert.ok(prompt.length < columns - 14, `${columns}: ${prompt}`);
    }
  }
  assert.equal(replyPrompt(offers[2], 80), replyPrompt(offers[2]));
  assert.equal(replyPrompt(offers[2], 30), '[y/s/a/N] ');
});

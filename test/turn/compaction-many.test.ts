import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/base/ids.ts';
import type { PersonId } from '../../src/base/ids.ts';
import { textPart } from '../../src/model/message.ts';
import { noUsage } from '../../src/model/provider.ts';
import type { TurnEntry } from '../../src/model/turn.ts';
import { failsWith, says } from '../support/model-script.ts';
import type { TestHouse } from '../support/test-house.ts';
import { answered, compactionsOf, contentsOf, openLongHouse, prose } from './compaction-setup.ts';
import type { Answerer } from './compaction-setup.ts';

const tooLong = failsWith(400, { error: { code: 'context_length_exceeded', message: 'too long' } });

/** A server with a window of about 6,000 tokens, which answers in a word. */
const smallWindow: Answerer = ({ body }) => (body.length > 24_000 ? tooLong : says('Done.', { usage: null }));

/** A conversation as an earlier program left it: so many short messages, each answered in a word. */
async function rememberMessages(house: TestHouse, count: number): Promise<void> {
  const { id: sessionId } = await house.session();
  const answer: TurnEntry = {
    type: 'step.finished',
    message: { role: 'assistant', parts: [textPart('Done.')], calls: [] },
    finish: 'stop',
    usage: noUsage,
  };
  await house.app.store.transaction(async (tx) => {
    for (let number = 1; number <= count; number += 1) {
      const turn = { sessionId, turnId: newId('turn', number) };
      const parts = [textPart(`Message ${number}: please do number ${number} and do not break the build again`)];
      const result = { type: 'replied', text: 'Done.', ending: 'complete' } as const;
      await tx.turns.append(turn, [
        { type: 'turn.admitted', parts, person: 'owner' as PersonId },
        answer,
        { type: 'turn.settled', result },
      ]);
    }
  });
}

test('a conversation of two thousand short messages goes on in a small window', async () => {
  await using long = await openLongHouse({ window: 6000, answer: smallWindow });
  await rememberMessages(long.house, 2000);

  for (let count = 0; count < 5; count += 1)
    assert.equal(await long.house.say(`And another thing, ${count}.`), 'Done.');

  const contents = contentsOf(answered(long.server).at(-1));
  const [standIn = ''] = contents;
  assert.match(standIn, /1\. Message 1: please do number 1/);
  assert.match(standIn, /\[… 1\d{3} messages of the user are left out here; the log has them …\]/);
  assert.ok(contents.some((text) => text.includes('Message 2000: please do number 2000 ')));
});

test('short messages, one after the other, never fill a small window for good', async () => {
  await using long = await openLongHouse({ window: 6000, answer: smallWindow });
  await rememberMessages(long.house, 90);

  for (let count = 0; count < 60; count += 1)
    assert.equal(
      await long.house.say(`Message ${count}: ${'please do it and do not break the build again, '.repeat(4)}`),
      'Done.',
    );

  assert.ok((await compactionsOf(long.house)).length >= 2);
});

test('what stands for the beginning is itself made shorter where nothing newer can go', async () => {
  await using long = await openLongHouse({ answer: smallWindow });
  const { house } = long;
  const turn = { sessionId: (await house.session()).id, turnId: newId('turn', 1) };
  const parts = [textPart(prose('word', 5000))];
  const compaction: TurnEntry = {
    type: 'context.compacted',
    through: { turnId: turn.turnId, messages: 1 },
    summary: 'MADE FOR A LARGER WINDOW.',
    text: `What the user said: ${prose('word', 5000)}`,
    writtenBy: 'program',
    usage: noUsage,
    before: 20_000,
    after: 10_000,
  };
  const result = { type: 'replied', text: '', ending: 'complete' } as const;
  await house.app.store.turns.append(turn, [
    { type: 'turn.admitted', parts, person: 'owner' as PersonId },
    compaction,
    { type: 'turn.settled', result },
  ]);

  assert.equal(await house.say('Go on.'), 'Done.');

  const [, second] = await compactionsOf(house);
  assert.match(second?.text ?? '', /1\. word0 [^]*characters are left out here/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../support/random-answers.ts';
import { checkConversations } from '../support/random-conversations.ts';
import { describeCounts, wishedKinds } from '../support/random-counts.ts';
import { pick } from '../support/random-judge-ends.ts';
import { judgeConversation } from '../support/random-judge.ts';
import { startsOf } from '../support/random-judge-starts.ts';
import type { Move, RuntimePlan, Setup } from '../support/random-plan.ts';
import { play } from '../support/random-player.ts';

const title =
  'over random conversations every request is valid, the prefix changes only where the log says why, and every turn begins at the primary unless that rests';

// Hundreds of conversations: on a machine that is busy with others they take minutes.
test(title, { timeout: 600_000 }, async (t) => {
  const counts = await checkConversations(300, 20_261_115);

  t.diagnostic(describeCounts(counts));
  assert.deepEqual(
    wishedKinds.filter((kind) => !counts.has(kind)),
    [],
  );
});

function chatAt(model: string): RuntimePlan {
  return { vendor: 'custom', apiMode: 'chat_completions', model, keys: 1, state: 'up' };
}

const setup: Setup = { runtimes: [chatAt('a'), chatAt('b')], window: undefined, mostSteps: 90, consent: 'approved' };

function sayAnd(...answers: readonly Answer[]): Move {
  return { type: 'say', text: 'hello', answers, summaries: [], interjections: [], inFirstWait: 'nothing' };
}

function without(tool: string): Move {
  return { type: 'change-prompt', without: tool };
}

test('an answer that was all thought leaves a conversation that servers take', async () => {
  const allThought: Answer = { type: 'speaks', thought: 'Hm.', text: '', calls: [], ending: 'cut' };

  const played = await play({ setup, moves: [sayAnd(allThought), sayAnd()] });

  judgeConversation(played);
  assert.equal(played.sent.length, 2);
});

test('a model that was not asked while the prompt changed twice is told the first byte of both changes', async () => {
  const gone: Answer = { type: 'refuses', status: 404, error: { message: 'no such model' }, retryAfter: undefined };

  const played = await play({
    setup,
    moves: [sayAnd(), without('patch'), sayAnd(gone), without('nothing'), sayAnd(), without('read_file'), sayAnd(gone)],
  });

  judgeConversation(played);
  const changes = pick(played.log, 'step.asked').map(({ entry }) => `${entry.runtime} ${entry.change?.cause}`);
  assert.deepEqual(changes.slice(-2), ['custom:a prompt', 'custom:b prompt']);
});

test('a primary that answered in between rests no longer after its second limit than after its first', async () => {
  const limited: Answer = { type: 'refuses', status: 429, error: { message: 'slow down' }, retryAfter: undefined };
  const pass: Move = { type: 'pass-time', ms: 90_000 };

  const played = await play({
    setup,
    moves: [
      sayAnd(...Array.from({ length: 4 }, () => limited)),
      pass,
      sayAnd(),
      sayAnd(...Array.from({ length: 4 }, () => limited)),
      sayAnd(),
      pass,
      sayAnd(),
    ],
  });

  judgeConversation(played);
  const begun = startsOf(played).map(({ actual }) => actual.runtime);
  assert.deepEqual(begun, ['custom:a', 'custom:a', 'custom:a', 'custom:b', 'custom:a']);
});

import { test } from 'node:test';
import { checkConversations } from '../support/random-conversations.ts';
import { describeCounts } from '../support/random-counts.ts';

const runs = Number(process.env['TALARIA_DEEP'] ?? 10_000);
const seed = Number(process.env['TALARIA_SEED'] ?? Date.now() % 1_000_000_000);

test(`over ${runs} random conversations, from seed ${seed} on, every request is valid and every change of the prefix declared`, async (t) => {
  t.diagnostic(describeCounts(await checkConversations(runs, seed)));
});

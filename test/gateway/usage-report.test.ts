import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionId, TurnId } from '../../src/base/ids.ts';
import { noUsage } from '../../src/model/provider.ts';
import { nameRuntime } from '../../src/model/runtime.ts';
import type { LoggedEntry, TurnEntry } from '../../src/model/turn.ts';
import { explainLastTurn } from '../../src/gateway/explain-turn.ts';
import { readCalls } from '../../src/gateway/logged-calls.ts';
import { renderExplanation } from '../../src/gateway/render-explanation.ts';
import {
  dayOf,
  formatCacheShare,
  formatRowCost,
  formatTokens,
  formatTotalCost,
  groupCalls,
  startOfDay,
  sumUp,
} from '../../src/gateway/usage-report.ts';
import type { PricedCall } from '../../src/gateway/usage-report.ts';

const opus = nameRuntime('anthropic', 'claude-opus-5-5');
const other = nameRuntime('custom', 'x');

function call(cost: number | undefined, at = 0): PricedCall {
  const usage = { fresh: 10, cacheRead: 80, cacheWrite: 10, output: 5, reasoning: 2 };
  const runtime = cost === undefined ? other : opus;
  const record = { turnId: 'trn_1' as TurnId, sessionId: undefined, at, runtime, usage, cacheLife: undefined };
  return { ...record, purpose: 'answer', cost };
}

test('a row with one call of unknown price costs an unknown amount, and a total is never low', () => {
  const known = sumUp([call(1_500_000), call(500_000)]);
  const mixed = sumUp([call(1_500_000), call(undefined), call(undefined)]);
  const unknown = sumUp([call(undefined)]);

  assert.deepEqual([known, mixed, unknown].map(formatRowCost), ['$2.00', 'unknown', 'unknown']);
  assert.deepEqual([known, mixed, unknown].map(formatTotalCost), [
    '$2.00',
    '≥ $1.50 (2 calls of unknown cost)',
    'unknown',
  ]);
  assert.equal(formatTotalCost(sumUp([])), '$0.00');
});

test('calls are added up under their names', () => {
  const groups = groupCalls([call(1), call(undefined), call(2)], ({ runtime }) => runtime);

  const sum = { calls: 2, fresh: 20, cacheRead: 160, cacheWrite: 20, output: 10, reasoning: 4 };
  const one = { calls: 1, fresh: 10, cacheRead: 80, cacheWrite: 10, output: 5, reasoning: 2 };
  assert.deepEqual(
    [...groups],
    [
      [opus, { ...sum, knownCost: 3, unpriced: [], uncounted: 0 }],
      [other, { ...one, knownCost: 0, unpriced: [other], uncounted: 0 }],
    ],
  );
});

test('a share of the cache is only 100 % where everything came from it', () => {
  const usages = [
    noUsage,
    { ...noUsage, fresh: 5 },
    { ...noUsage, fresh: 1, cacheRead: 999 },
    { ...noUsage, cacheRead: 9 },
  ];

  assert.deepEqual(usages.map(formatCacheShare), ['–', '0 %', '99 %', '100 %']);
});

test('counts of tokens are short, whatever their size', () => {
  const counts = [0, 999, 1000, 12_345, 999_949, 999_950, 2_000_000];

  assert.deepEqual(counts.map(formatTokens), ['0', '999', '1.0k', '12.3k', '999.9k', '1.0M', '2.0M']);
});

test('days are those of the clock on the wall', () => {
  const evening = new Date(2026, 2, 1, 23, 59).getTime();

  assert.equal(dayOf(evening), '2026-03-01');
  assert.equal(startOfDay(evening), new Date(2026, 2, 1).getTime());
  assert.equal(dayOf(startOfDay(evening, 1)), '2026-02-28');
});

function logOf(...entries: readonly TurnEntry[]): readonly LoggedEntry[] {
  const turn = { sessionId: 'ses_1' as SessionId, turnId: 'trn_1' as TurnId };
  return entries.map((entry, index) => ({ ...turn, seq: index + 1, at: index, entry }));
}

const asked: TurnEntry = { type: 'step.asked', runtime: opus, prompt: '', messages: 1, digest: '' };
const answered: TurnEntry = {
  type: 'step.finished',
  message: { role: 'assistant', parts: [], calls: [] },
  finish: 'stop',
  usage: { ...noUsage, fresh: 4 },
};

test('a call that a crash cut off is told from one that was answered, and makes the total a lower bound', async () => {
  const log = logOf(asked, { type: 'turn.released' }, asked, answered, { type: 'compaction.asked', runtime: other });

  assert.deepEqual(
    readCalls(log).map(({ at, runtime, purpose, end }) => [at, runtime, purpose, end.type]),
    [
      [0, opus, 'answer', 'lost'],
      [2, opus, 'answer', 'answered'],
      [4, other, 'compaction', 'lost'],
    ],
  );
  const catalogue = {
    window: () => Promise.resolve(undefined),
    price: () => Promise.resolve({ input: 1, cacheRead: 1, cacheWrite: 1, output: 1 }),
    cost: () => Promise.resolve(4_000_000),
  };
  const text = renderExplanation(await explainLastTurn(log, { catalogue, cacheLife: '5m' }));
  assert.match(text, /^The last turn: ≥ \$4\.00 \(2 calls of unknown cost\) for 3 calls/);
  assert.match(text, /1 call to \S+ was cut off when the program ended; what that took is not known\./);
  assert.match(text, /1 call to custom:x for a summary came to nothing; what that took is not known\./);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelFailure, RefusalKind } from '../../src/model/provider.ts';
import type { RuntimeChain } from '../../src/model/runtime.ts';
import { chooseStart, describeStart } from '../../src/turn/choose-start.ts';
import { CoolDowns } from '../../src/turn/cool-downs.ts';
import { keyed, runtimeAt } from '../agents/agent-bench.ts';

const minute = 60_000;
const first = runtimeAt('http://127.0.0.1:1/v1', 'first', keyed('KEY'));
const second = runtimeAt('http://127.0.0.1:1/v1', 'first', keyed('KEY_2'));
const standIn = runtimeAt('http://127.0.0.1:2/v1', 'second');
const chain: RuntimeChain = [first, second, standIn];

function refusal(kind: RefusalKind, retryAfterMs?: number): ModelFailure {
  return { type: 'http', status: 400, kind, message: 'no', retryAfterMs };
}

test('a key rests for as long as its server asked, within bounds', () => {
  const table: readonly (readonly [ModelFailure, number | undefined])[] = [
    [refusal('rate-limit', 7000), 7000],
    [refusal('billing', 90 * minute), 90 * minute],
    [refusal('rate-limit', 0), 1000],
    [refusal('rate-limit', 9000 * minute), 240 * minute],
    [refusal('rate-limit'), minute],
    [refusal('billing'), minute],
    [refusal('auth'), 5 * minute],
    [refusal('forbidden'), 5 * minute],
    [refusal('server'), undefined],
    [{ type: 'transport', kind: 'cut', message: 'gone' }, undefined],
  ];
  for (const [failure, restMs] of table) {
    const coolDowns = new CoolDowns();
    coolDowns.begin(first, failure, 1000);
    assert.equal(coolDowns.find(first, 1000)?.leftMs, restMs);
    assert.equal(coolDowns.find(first, 1000 + (restMs ?? 0)), undefined);
  }
});

test('a key that is limited again and again rests twice as long each time, up to four hours, until it works', () => {
  const coolDowns = new CoolDowns();
  const rest = (): number | undefined => {
    coolDowns.begin(first, refusal('rate-limit'), 0);
    return coolDowns.find(first, 0)?.leftMs;
  };

  const rests = Array.from({ length: 10 }, rest);
  coolDowns.end(first);

  assert.deepEqual(
    rests,
    [1, 2, 4, 8, 16, 32, 64, 128, 240, 240].map((minutes) => minutes * minute),
  );
  assert.equal(rest(), minute);
});

test('each key rests for itself', () => {
  const coolDowns = new CoolDowns();

  coolDowns.begin(first, refusal('rate-limit'), 0);

  assert.equal(coolDowns.find(second, 0), undefined);
});

/** Where a turn begins after these refusals, and what is said about it. */
function startAfter(...refusals: readonly (readonly [typeof first, ModelFailure])[]): readonly unknown[] {
  const coolDowns = new CoolDowns();
  for (const [runtime, failure] of refusals) coolDowns.begin(runtime, failure, 0);
  const start = chooseStart(chain, coolDowns, 0);
  return [start.place, describeStart(start, chain)];
}

test('a turn begins at the first key of the primary that does not rest, and says nothing of it', () => {
  assert.deepEqual(startAfter(), [0, undefined]);
  assert.deepEqual(startAfter([first, refusal('rate-limit')]), [1, undefined]);
  assert.deepEqual(startAfter([first, refusal('auth')]), [1, undefined]);
  assert.deepEqual(startAfter([second, refusal('rate-limit')]), [0, undefined]);
});

test('a turn leaves the primary only when all its keys are limited, and says so', () => {
  const limited = refusal('rate-limit', 90_000);

  assert.deepEqual(startAfter([first, limited], [second, refusal('rate-limit', 30_000)]), [
    2,
    'custom:first rests for 30 s after a rate limit; custom:second answers',
  ]);
  assert.deepEqual(startAfter([first, refusal('billing')], [second, refusal('billing')]), [
    2,
    'custom:first rests for 60 s because its account is empty; custom:second answers',
  ]);
  assert.deepEqual(startAfter([first, limited], [second, limited], [standIn, limited]), [0, undefined]);
});

test('a key that was refused is tried again where no other is left: it may have been mended', () => {
  assert.deepEqual(startAfter([first, refusal('auth')], [second, refusal('auth')]), [0, undefined]);
  assert.deepEqual(startAfter([first, refusal('rate-limit')], [second, refusal('auth')]), [1, undefined]);
});

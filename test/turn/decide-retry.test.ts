import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelFailure, RefusalKind } from '../../src/model/provider.ts';
import { nameRuntime } from '../../src/model/runtime.ts';
import { decideRetry } from '../../src/turn/decide-retry.ts';
import type { CallHistory } from '../../src/turn/decide-retry.ts';

function refusal(kind: RefusalKind, retryAfterMs?: number): ModelFailure {
  return { type: 'http', status: 400, kind, message: 'no', retryAfterMs };
}

const cut: ModelFailure = { type: 'transport', kind: 'cut', message: 'cut' };

const runtime = {
  name: nameRuntime('openai', 'gpt-x'),
  vendor: 'openai',
  route: 'direct',
  keyName: 'OPENAI_API_KEY',
} as const;

const history: CallHistory = {
  runtime,
  failuresBefore: 0,
  hasRecovered: false,
  hasForgottenReasoning: false,
  canRefreshKey: false,
  hasImages: true,
  stage: 'first-choice',
  compaction: 'possible',
  nextKey: undefined,
  nextPlace: undefined,
};

function after(failure: ModelFailure, changes: Partial<CallHistory> = {}): string {
  const { next, afterMs } = decideRetry(failure, { ...history, ...changes });
  return `${next.type}${'to' in next ? ` to ${next.to}` : ''} after ${afterMs} ms`;
}

test('a failed call is tried again after a growing wait, three times', () => {
  const waits = [0, 1, 2, 3].map((failuresBefore) => after(cut, { failuresBefore }));

  assert.deepEqual(waits, ['retry after 1000 ms', 'retry after 2000 ms', 'retry after 4000 ms', 'give-up after 0 ms']);
});

test('the wait that a server asks for is honoured, up to two minutes, and never shorter than our own', () => {
  assert.equal(after(refusal('rate-limit', 7000)), 'retry after 7000 ms');
  assert.equal(after(refusal('overloaded', 3_600_000)), 'retry after 120000 ms');
  assert.equal(after(refusal('rate-limit', 200), { failuresBefore: 1 }), 'retry after 2000 ms');
});

test('a long wait is not waited while another runtime could answer', () => {
  assert.equal(after(refusal('rate-limit', 7000), { nextPlace: 1 }), 'retry after 7000 ms');
  assert.equal(after(refusal('rate-limit', 30_000), { nextPlace: 1 }), 'fall-back to 1 after 0 ms');
});

/** What is done about a refusal while everything can still be had, and when nothing but another runtime is left. */
const actions: readonly (readonly [RefusalKind, string, string])[] = [
  ['auth', 'rotate to 1 after 0 ms', 'fall-back to 2 after 0 ms'],
  ['forbidden', 'rotate to 1 after 0 ms', 'fall-back to 2 after 0 ms'],
  ['billing', 'rotate to 1 after 0 ms', 'fall-back to 2 after 0 ms'],
  ['rate-limit', 'rotate to 1 after 0 ms', 'fall-back to 2 after 0 ms'],
  ['overloaded', 'retry after 1000 ms', 'fall-back to 2 after 0 ms'],
  ['server', 'retry after 1000 ms', 'fall-back to 2 after 0 ms'],
  ['overflow', 'compact after 0 ms', 'fall-back to 2 after 0 ms'],
  ['stale-reasoning', 'forget-reasoning after 0 ms', 'fall-back to 2 after 0 ms'],
  ['images', 'withhold-images after 0 ms', 'fall-back to 2 after 0 ms'],
  ['not-found', 'fall-back to 2 after 0 ms', 'fall-back to 2 after 0 ms'],
  ['filtered', 'fall-back to 2 after 0 ms', 'fall-back to 2 after 0 ms'],
  ['bad-request', 'fall-back to 2 after 0 ms', 'fall-back to 2 after 0 ms'],
];

for (const [kind, first, last] of actions) {
  test(`a refusal of the kind ${kind} leads to ${first}, in the end to ${last}, and then to the end`, () => {
    const spent = { failuresBefore: 3, hasForgottenReasoning: true, hasImages: false, compaction: 'spent' } as const;

    assert.equal(after(refusal(kind), { nextKey: 1, nextPlace: 2 }), first);
    assert.equal(after(refusal(kind), { ...spent, nextPlace: 2 }), last);
    assert.equal(after(refusal(kind), spent), 'give-up after 0 ms');
  });
}

test('another key takes over from one that is limited before anything is waited for', () => {
  assert.equal(after(refusal('rate-limit', 7000), { nextKey: 1 }), 'rotate to 1 after 0 ms');
  assert.equal(after(refusal('rate-limit', 7000)), 'retry after 7000 ms');
});

test('a refused key that a command prints is printed anew before another key takes over', () => {
  assert.equal(after(refusal('auth'), { canRefreshKey: true, nextKey: 1, nextPlace: 2 }), 'refresh-key after 0 ms');
  assert.equal(after(refusal('billing'), { canRefreshKey: true, nextKey: 1 }), 'rotate to 1 after 0 ms');
});

test('another key takes over from one that could not be had', () => {
  const failure: ModelFailure = { type: 'client', message: 'key_command printed nothing' };

  assert.equal(after(failure, { nextKey: 1, nextPlace: 2 }), 'rotate to 1 after 0 ms');
  assert.equal(after(failure, { nextPlace: 2 }), 'fall-back to 2 after 0 ms');
});

test('a broken connection is no reason to change keys', () => {
  assert.equal(after(cut, { nextKey: 1 }), 'retry after 1000 ms');
  assert.equal(after(cut, { nextKey: 1, failuresBefore: 3 }), 'give-up after 0 ms');
});

test('thoughts that a server does not take back are forgotten for its vendor, once', () => {
  const { next } = decideRetry(refusal('stale-reasoning'), history);

  assert.deepEqual(next, { type: 'forget-reasoning', of: 'openai' });
});

test('whoever gives up says what the user can do', () => {
  const table: readonly (readonly [RefusalKind, Partial<CallHistory>, RegExp])[] = [
    ['auth', {}, /^check the key in OPENAI_API_KEY$/],
    ['auth', { runtime: { ...runtime, keyName: undefined } }, /^no key was sent: name the variable .* model\.key_env/],
    [
      'auth',
      { runtime: { ...runtime, vendor: 'custom', keyName: undefined } },
      /^no key was sent: set CUSTOM_API_KEY, or name .* model\.key_env/,
    ],
    ['billing', {}, /add credit to the account of OPENAI_API_KEY/],
    ['not-found', {}, /openai:gpt-x cannot be had there: `talaria model set` .* `\/model` in a chat/],
    ['overflow', { compaction: 'off' }, /compaction is switched off/],
    ['overflow', { compaction: 'spent' }, /however much it is shortened: begin anew with \/new/],
  ];
  for (const [kind, changes, expected] of table) {
    const { next } = decideRetry(refusal(kind), { ...history, ...changes, failuresBefore: 3 });
    assert.match(next.type === 'give-up' ? (next.advice ?? '') : next.type, expected);
  }
});

test('a call that was stopped is nobody else’s to answer', () => {
  assert.equal(after({ type: 'aborted' }, { nextPlace: 1 }), 'give-up after 0 ms');
});

const kinds = ['read-timeout', 'connect-timeout', 'pool-timeout', 'connect-error'] as const;

for (const kind of kinds) {
  test(`T1 a ${kind} earns one recovery when the ordinary retries are spent, before any fallback`, () => {
    const broken: ModelFailure = { type: 'transport', kind, message: 'broken' };

    assert.equal(after(broken, { failuresBefore: 2, nextPlace: 1 }), 'retry after 4000 ms');
    assert.equal(after(broken, { failuresBefore: 3, nextPlace: 1 }), 'recover after 6000 ms');
    assert.equal(after(broken, { failuresBefore: 4, nextPlace: 1, hasRecovered: true }), 'fall-back to 1 after 0 ms');
    assert.equal(after(broken, { failuresBefore: 4, hasRecovered: true }), 'give-up after 0 ms');
  });
}

const timeout: ModelFailure = { type: 'transport', kind: 'read-timeout', message: 'late' };

test('T2 there is no recovery when a fallback is active', () => {
  assert.equal(after(timeout, { failuresBefore: 3, stage: 'fallback' }), 'give-up after 0 ms');
});

test('T3 there is no recovery for an error that is not the transport’s', () => {
  for (const failure of [
    refusal('server'),
    refusal('not-found'),
    { type: 'protocol', message: 'garbage' },
    cut,
  ] as const) {
    assert.doesNotMatch(after(failure, { failuresBefore: 3 }), /recover/);
  }
});

test('T4 there is no recovery for aggregators', () => {
  assert.equal(
    after(timeout, { failuresBefore: 3, runtime: { ...runtime, route: 'aggregator' } }),
    'give-up after 0 ms',
  );
});

test('T6 the one wait is three seconds and one for each retry, at most eight', () => {
  const waits = [3, 4, 5, 10].map((failuresBefore) => after(timeout, { failuresBefore }));

  assert.deepEqual(
    waits,
    [6000, 7000, 8000, 8000].map((ms) => `recover after ${ms} ms`),
  );
});

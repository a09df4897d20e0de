import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallId } from '../../src/base/ids.ts';
import { textPart } from '../../src/model/message.ts';
import type { AssistantMessage } from '../../src/model/message.ts';
import type { ModelFailure } from '../../src/model/provider.ts';
import { decideRetry, findFault, outputAllowance } from '../../src/turn/decide-retry.ts';
import type { CallHistory } from '../../src/turn/decide-retry.ts';

function http(status: number, retryAfterMs?: number): ModelFailure {
  return { type: 'http', status, message: 'no', retryAfterMs };
}

const cut: ModelFailure = { type: 'transport', kind: 'cut', message: 'cut' };

const history: CallHistory = {
  failuresBefore: 0,
  hasRecovered: false,
  stage: 'first-choice',
  route: 'direct',
  nextPlace: undefined,
};

function after(failure: ModelFailure, changes: Partial<CallHistory> = {}): string {
  const { next, afterMs } = decideRetry(failure, { ...history, ...changes });
  return `${next.type}${next.type === 'fall-back' ? ` to ${next.to}` : ''} after ${afterMs} ms`;
}

test('a failed call is tried again after a growing wait, three times', () => {
  const waits = [0, 1, 2, 3].map((failuresBefore) => after(cut, { failuresBefore }));

  assert.deepEqual(waits, ['retry after 1000 ms', 'retry after 2000 ms', 'retry after 4000 ms', 'give-up after 0 ms']);
});

test('the wait that a server asks for is honoured, up to a minute', () => {
  assert.equal(after(http(429, 7000)), 'retry after 7000 ms');
  assert.equal(after(http(503, 3_600_000)), 'retry after 60000 ms');
});

test('a long wait is not waited while another runtime could answer', () => {
  assert.equal(after(http(429, 7000), { nextPlace: 1 }), 'retry after 7000 ms');
  assert.equal(after(http(429, 30_000), { nextPlace: 1 }), 'fall-back to 1 after 0 ms');
});

test('an answer that will not change is not asked for again, but another runtime is', () => {
  for (const status of [400, 401, 402, 403, 404, 422]) {
    assert.equal(after(http(status)), 'give-up after 0 ms');
    assert.equal(after(http(status), { nextPlace: 2 }), 'fall-back to 2 after 0 ms');
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
  for (const failure of [http(500), http(404), { type: 'protocol', message: 'garbage' }, cut] as const) {
    assert.doesNotMatch(after(failure, { failuresBefore: 3 }), /recover/);
  }
});

test('T4 there is no recovery for aggregators', () => {
  assert.equal(after(timeout, { failuresBefore: 3, route: 'aggregator' }), 'give-up after 0 ms');
});

test('T6 the one wait is three seconds and one for each retry, at most eight', () => {
  const waits = [3, 4, 5, 10].map((failuresBefore) => after(timeout, { failuresBefore }));

  assert.deepEqual(
    waits,
    [6000, 7000, 8000, 8000].map((ms) => `recover after ${ms} ms`),
  );
});

function message(text: string, args?: string): AssistantMessage {
  const calls = args === undefined ? [] : [{ id: 'c' as CallId, name: 'read_file', arguments: args }];
  return { role: 'assistant', parts: text === '' ? [] : [textPart(text)], calls };
}

test('an answer without text or calls is empty', () => {
  assert.equal(findFault(message(' \n'), 'stop', 0), 'empty');
  assert.equal(findFault(message('hi'), 'stop', 0), undefined);
});

test('a call that the length limit cut is never used, even if it looks whole', () => {
  assert.equal(findFault(message('', '{"path":"a"}'), 'length', 99), 'cut-call');
});

test('a call that is not JSON is asked for twice more and then handed to the model as a mistake', () => {
  const faults = [0, 1, 2].map((failures) => findFault(message('', '{"path":'), 'calls', failures));

  assert.deepEqual(faults, ['broken-call', 'broken-call', undefined]);
});

test('more output is allowed after every cut, within a limit and never below the configured', () => {
  assert.equal(outputAllowance(undefined, 0), undefined);
  assert.equal(outputAllowance(undefined, 1), 8192);
  assert.equal(outputAllowance(undefined, 30), 32_768);
  assert.equal(outputAllowance(50_000, 3), 50_000);
});

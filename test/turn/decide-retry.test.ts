import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallId } from '../../src/base/ids.ts';
import { textPart } from '../../src/model/message.ts';
import type { AssistantMessage } from '../../src/model/message.ts';
import type { ModelFailure } from '../../src/model/provider.ts';
import { decideRetry, findFault, outputAllowance } from '../../src/turn/decide-retry.ts';

function http(status: number, retryAfterMs?: number): ModelFailure {
  return { type: 'http', status, message: 'no', retryAfterMs };
}

const cut: ModelFailure = { type: 'transport', kind: 'cut', message: 'cut' };

test('a failed call is tried again after a growing wait, three times', () => {
  const waits = [0, 1, 2, 3].map((failures) => decideRetry(cut, failures));

  assert.deepEqual(waits, [
    { type: 'retry', afterMs: 1000 },
    { type: 'retry', afterMs: 2000 },
    { type: 'retry', afterMs: 4000 },
    { type: 'give-up' },
  ]);
});

test('the wait that a server asks for is honoured, up to a minute', () => {
  assert.deepEqual(decideRetry(http(429, 7000), 0), { type: 'retry', afterMs: 7000 });
  assert.deepEqual(decideRetry(http(503, 3_600_000), 0), { type: 'retry', afterMs: 60_000 });
});

test('an answer that will not change is not asked for again', () => {
  for (const status of [400, 401, 402, 403, 404, 422])
    assert.deepEqual(decideRetry(http(status), 0), { type: 'give-up' });
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

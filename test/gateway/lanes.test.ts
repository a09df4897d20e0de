import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PersonId, SessionId, TurnId } from '../../src/base/ids.ts';
import { Lanes } from '../../src/gateway/lanes.ts';
import type { Drain } from '../../src/gateway/lanes.ts';
import { InProcessSignals } from '../../src/store/in-process-signals.ts';
import { InProcessWake } from '../../src/store/in-process-wake.ts';

const one = 'ses_one' as SessionId;

function openLanes(drain: Drain): { readonly lanes: Lanes; readonly wake: InProcessWake; readonly errors: unknown[] } {
  const wake = new InProcessWake();
  const errors: unknown[] = [];
  const onError = (_sessionId: SessionId, thrown: unknown): void => void errors.push(thrown);
  return { lanes: new Lanes({ wake, signals: new InProcessSignals(), drain, onError }), wake, errors };
}

test('a wake that comes after a lane has looked for work and before it is closed is not lost', async () => {
  const work: string[] = ['first'];
  const done: string[] = [];
  const hasLooked = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const { lanes, wake } = openLanes(async () => {
    done.push(...work.splice(0));
    hasLooked.resolve();
    await mayEnd.promise;
  });
  await using _lanes = lanes;

  wake.wake(one);
  await hasLooked.promise;
  work.push('second');
  wake.wake(one);
  mayEnd.resolve();
  await lanes.whenIdle(one);

  assert.deepEqual(done, ['first', 'second']);
  assert.equal(lanes.isBusy(one), false);
});

test('however often a session is woken, one lane serves it at a time, and it looks once more and no oftener', async () => {
  let running = 0;
  const runningAtOnce: number[] = [];
  const mayEnd = Promise.withResolvers<void>();
  const { lanes, wake } = openLanes(async () => {
    runningAtOnce.push((running += 1));
    await mayEnd.promise;
    running -= 1;
  });
  await using _lanes = lanes;

  for (let count = 0; count < 5; count += 1) wake.wake(one);
  mayEnd.resolve();
  await lanes.whenIdle(one);

  assert.deepEqual(runningAtOnce, [1, 1]);
});

test('a wake that comes while a lane fails opens it again', async () => {
  let tries = 0;
  const { lanes, wake, errors } = openLanes(() => {
    tries += 1;
    if (tries > 1) return Promise.resolve();
    wake.wake(one);
    return Promise.reject(new Error('broken'));
  });
  await using _lanes = lanes;

  wake.wake(one);
  await lanes.whenIdle(one);

  assert.deepEqual([tries, errors], [2, [new Error('broken')]]);
});

test('a turn is entered one deeper for each turn in a row that was stopped before it, and at 0 after one that ended by itself', async () => {
  const wake = new InProcessWake();
  const signals = new InProcessSignals();
  const depths: number[] = [];
  await using lanes = new Lanes({
    wake,
    signals,
    async drain(sessionId, lane) {
      for (const [index, end] of ['stopped', 'stopped', 'by-itself', 'inactive', 'by-itself'].entries()) {
        depths.push(lane.begin({ sessionId, turnId: `trn_${index}` as TurnId }, () => '').interruptDepth);
        if (end === 'stopped') signals.send(sessionId, { type: 'stop', by: 'owner' as PersonId });
        if (end === 'inactive') lane.abort({ type: 'inactive', reason: 'nothing happened' });
        lane.end();
      }
      await Promise.resolve();
    },
    onError: (_sessionId, thrown) => assert.fail(String(thrown)),
  });

  wake.wake(one);
  await lanes.whenIdle(one);

  assert.deepEqual(depths, [0, 1, 2, 0, 0]);
});

test('a stop that names a turn reaches no other one', async () => {
  const wake = new InProcessWake();
  const signals = new InProcessSignals();
  const stopped: boolean[] = [];
  await using lanes = new Lanes({
    wake,
    signals,
    async drain(sessionId, lane) {
      const stop = { type: 'stop', by: 'owner' as PersonId, turnId: 'trn_1' as TurnId } as const;
      signals.send(sessionId, stop);
      for (const index of [0, 1, 2]) {
        const { signal } = lane.begin({ sessionId, turnId: `trn_${index}` as TurnId }, () => '');
        signals.send(sessionId, stop);
        stopped.push(signal.aborted);
        lane.end();
      }
      await Promise.resolve();
    },
    onError: (_sessionId, thrown) => assert.fail(String(thrown)),
  });

  wake.wake(one);
  await lanes.whenIdle(one);

  assert.deepEqual(stopped, [false, true, false]);
});

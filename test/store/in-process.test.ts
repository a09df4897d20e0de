import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionId } from '../../src/base/ids.ts';
import type { Signal } from '../../src/model/store.ts';
import { InProcessSignals } from '../../src/store/in-process-signals.ts';
import { InProcessWake } from '../../src/store/in-process-wake.ts';
import { ada } from '../support/store-samples.ts';
import { describeSignalsConformance, describeWakeConformance } from './messaging-conformance.ts';

const one = 'ses_one' as SessionId;
const stop: Signal = { type: 'stop', by: ada };

function fail(): void {
  throw new Error('broken');
}

describeWakeConformance('the wake of one process', () => new InProcessWake());
describeSignalsConformance('the signals of one process', () => new InProcessSignals());

test('a listener that fails keeps neither a wake nor a signal from the others, and is reported', () => {
  const wake = new InProcessWake();
  const signals = new InProcessSignals();
  const heard: string[] = [];
  wake.onWake(fail);
  wake.onWake(() => void heard.push('wake'));
  signals.onSignal(one, fail);
  signals.onSignal(one, () => void heard.push('signal'));

  assert.throws(() => wake.wake(one), { errors: [new Error('broken')] });
  assert.throws(() => signals.send(one, stop), { errors: [new Error('broken')] });

  assert.deepEqual(heard, ['wake', 'signal']);
});

test('a listener that is added during a wake hears the next one', () => {
  const wake = new InProcessWake();
  let heard = 0;
  wake.onWake(() => {
    wake.onWake(() => {
      heard += 1;
    });
  });

  wake.wake(one);
  assert.equal(heard, 0);
  wake.wake(one);
  assert.equal(heard, 1);
});

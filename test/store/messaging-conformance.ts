import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SessionId } from '../../src/base/ids.ts';
import type { Signal, Signals, Wake } from '../../src/model/store.ts';
import { ada, bob } from '../support/store-samples.ts';

const one = 'ses_one' as SessionId;
const two = 'ses_two' as SessionId;
const stopByBob: Signal = { type: 'stop', by: bob };
const stop: Signal = { type: 'stop', by: ada };

/** Values that arrive one by one, so that a test can wait for them however they travel. */
class Arrivals<Value> {
  readonly #values: Value[] = [];
  #waiting: (() => void) | undefined;

  readonly add = (value: Value): void => {
    this.#values.push(value);
    this.#waiting?.();
  };

  async until(count: number): Promise<readonly Value[]> {
    while (this.#values.length < count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting = resolve;
      await promise;
    }
    return this.#values;
  }
}

/** Holds a wake to what the port promises. */
export function describeWakeConformance(name: string, make: () => Wake): void {
  describe(name, () => {
    test('every listener hears of every session that is woken', async () => {
      const wake = make();
      const [left, right] = [new Arrivals<SessionId>(), new Arrivals<SessionId>()];
      using _left = wake.onWake(left.add);
      using _right = wake.onWake(right.add);

      wake.wake(one);
      wake.wake(two);

      assert.deepEqual(new Set(await left.until(2)), new Set([one, two]));
      assert.deepEqual(new Set(await right.until(2)), new Set([one, two]));
    });

    test('a listener that was let go hears nothing more, and the others still do', async () => {
      const wake = make();
      const [gone, kept] = [new Arrivals<SessionId>(), new Arrivals<SessionId>()];
      using _kept = wake.onWake(kept.add);
      {
        using _gone = wake.onWake(gone.add);
      }

      wake.wake(one);

      assert.deepEqual(await kept.until(1), [one]);
      assert.deepEqual(await gone.until(0), []);
    });
  });
}

/** Holds signals to what the port promises. */
export function describeSignalsConformance(name: string, make: () => Signals): void {
  describe(name, () => {
    test('a signal reaches the listeners of its session, in order, and no other', async () => {
      const signals = make();
      const [ofOne, ofTwo] = [new Arrivals<Signal>(), new Arrivals<Signal>()];
      using _one = signals.onSignal(one, ofOne.add);
      using _two = signals.onSignal(two, ofTwo.add);

      signals.send(one, stopByBob);
      signals.send(one, stop);
      signals.send(two, stopByBob);

      assert.deepEqual(await ofOne.until(2), [stopByBob, stop]);
      assert.deepEqual(await ofTwo.until(1), [stopByBob]);
    });

    test('the same listener twice is two, and letting go of one leaves the other', async () => {
      const signals = make();
      const heard = new Arrivals<Signal>();
      const first = signals.onSignal(one, heard.add);
      using _second = signals.onSignal(one, heard.add);

      signals.send(one, stopByBob);
      assert.deepEqual(await heard.until(2), [stopByBob, stopByBob]);
      first[Symbol.dispose]();
      signals.send(one, stop);

      assert.deepEqual(await heard.until(3), [stopByBob, stopByBob, stop]);
    });

    test('a signal to a session that nobody serves is no error', () => {
      assert.doesNotThrow(() => make().send(one, stop));
    });
  });
}

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, test } from 'node:test';
import type { Clock } from '../../src/base/clock.ts';

export interface ClockBench {
  readonly clock: Clock;
  /** Resolves when at least so much time has passed on this clock, and whoever was due has been woken. */
  readonly pass: (ms: number) => Promise<void>;
}

// System timers count whole milliseconds and may fire a fraction of one early.
const graininessMs = 1;

/** Holds a clock to what the port promises. */
export function describeClockConformance(name: string, make: () => ClockBench): void {
  describe(name, () => {
    describeSleeping(make);
    describeAborting(make);

    test('its monotonic time never goes back', async () => {
      const { clock, pass } = make();
      const readings: number[] = [];

      for (let count = 0; count < 20; count += 1) {
        readings.push(clock.monotonic());
        if (count % 5 === 0) await pass(2);
      }

      assert.deepEqual(
        readings,
        readings.toSorted((left, right) => left - right),
      );
    });
  });
}

function describeSleeping(make: () => ClockBench): void {
  test('a sleep ends by itself, and not before its time', async () => {
    const { clock, pass } = make();
    const before = clock.monotonic();

    const slept = clock.sleep(20).then(() => clock.monotonic() - before);
    await pass(10);
    await pass(10);

    assert.ok((await slept) >= 20 - graininessMs, `${await slept} ms`);
  });

  test('sleepers wake in order of time, whoever lay down first', async () => {
    const { clock, pass } = make();
    const woken: string[] = [];

    const long = clock.sleep(30).then(() => woken.push('long'));
    const short = clock.sleep(10, new AbortController().signal).then(() => woken.push('short'));
    await pass(30);
    await Promise.all([long, short]);

    assert.deepEqual(woken, ['short', 'long']);
  });
}

function describeAborting(make: () => ClockBench): void {
  const reason = { type: 'stop' };

  test('a sleep that was aborted before it began does not begin', async () => {
    const { clock } = make();

    await assert.rejects(clock.sleep(60_000, AbortSignal.abort(reason)), isExactly(reason));
  });

  test('an abort ends a sleep at once, with its very reason, and no other sleep', async () => {
    const { clock, pass } = make();
    const controller = new AbortController();
    const stopped = clock.sleep(60_000, controller.signal);
    const other = clock.sleep(5, new AbortController().signal);

    controller.abort(reason);

    await assert.rejects(stopped, isExactly(reason));
    await pass(5);
    await other;
  });

  test('a sleep that is over leaves nothing behind on its signal', async () => {
    const { clock, pass } = make();
    const controller = new AbortController();
    const slept = clock.sleep(1, controller.signal);
    const stopped = clock.sleep(60_000, controller.signal);
    await pass(1);
    await slept;

    const whileOneSleeps = getEventListeners(controller.signal, 'abort').length;
    controller.abort(reason);

    await assert.rejects(stopped, isExactly(reason));
    assert.deepEqual([whileOneSleeps, getEventListeners(controller.signal, 'abort').length], [1, 0]);
  });
}

function isExactly(reason: unknown): (thrown: unknown) => boolean {
  return (thrown) => thrown === reason;
}

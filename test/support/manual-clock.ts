import type { Clock } from '../../src/base/clock.ts';

interface Sleeper {
  readonly wakeAt: number;
  readonly wake: () => void;
}

/** A clock that stands still until it is advanced. Whoever sleeps on it wakes in order of time. */
export class ManualClock implements Clock {
  #now: number;
  #sleepers: Sleeper[] = [];
  #onSleep: (() => void)[] = [];

  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stop = (): void => {
      this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
      reject(signal?.reason as Error);
    };
    const wake = (): void => {
      signal?.removeEventListener('abort', stop);
      resolve();
    };
    const sleeper: Sleeper = { wakeAt: this.#now + ms, wake };
    this.#sleepers.push(sleeper);
    signal?.addEventListener('abort', stop, { once: true });
    for (const notify of this.#onSleep.splice(0)) notify();
    return promise;
  }

  /** Resolves as soon as someone sleeps on this clock. */
  async whenSomeoneSleeps(): Promise<void> {
    if (this.#sleepers.length > 0) return;
    await new Promise<void>((resolve) => {
      this.#onSleep.push(resolve);
    });
  }

  advance(ms: number): void {
    this.#now += ms;
    const due = this.#sleepers.filter((sleeper) => sleeper.wakeAt <= this.#now);
    this.#sleepers = this.#sleepers.filter((sleeper) => sleeper.wakeAt > this.#now);
    for (const sleeper of due.toSorted((left, right) => left.wakeAt - right.wakeAt)) sleeper.wake();
  }
}

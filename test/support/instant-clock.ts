import type { Clock } from '../../src/base/clock.ts';

/** A clock on which every wait is over at once, and is noted. */
export class InstantClock implements Clock {
  readonly waits: number[] = [];
  #now = 0;

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  sleep(ms: number): Promise<void> {
    this.waits.push(ms);
    this.#now += ms;
    return Promise.resolve();
  }
}

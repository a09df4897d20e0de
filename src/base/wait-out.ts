import type { Clock } from './clock.ts';
import { isPassing } from './errors.ts';
import type { AppError } from './errors.ts';

const pauseMs = 2000;

export interface Patience {
  readonly clock: Clock;
  /** Ends the waiting: the work then fails with the reason of the abort. */
  readonly signal: AbortSignal | undefined;
  /** Told once, when the waiting begins. */
  readonly onWait?: (error: AppError) => void;
}

/** Does work on the store again and again while what hinders it can pass: a full disk, someone else's lock. */
export async function waitOut<Result>(work: () => Promise<Result>, patience: Patience): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (thrown) {
      if (!isPassing(thrown)) throw thrown;
      if (tries === 0) patience.onWait?.(thrown);
      await patience.clock.sleep(pauseMs, patience.signal);
    }
  }
}

import type { Clock } from './clock.ts';

/** Sleeps for so long, or until the signal aborts; `stopped` is the latter. Never rejects. */
export async function sleepUnless(clock: Clock, ms: number, signal: AbortSignal): Promise<'slept' | 'stopped'> {
  return await clock.sleep(ms, signal).then(
    () => 'slept',
    () => 'stopped',
  );
}

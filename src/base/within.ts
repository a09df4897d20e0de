import type { Clock } from './clock.ts';

/** Resolves with the work, or when its time is over; the work goes on then, unwatched. */
export async function within(clock: Clock, ms: number, work: Promise<void>): Promise<void> {
  const over = new AbortController();
  const late = clock.sleep(ms, over.signal).catch(() => undefined);
  await Promise.race([work, late]);
  over.abort();
}

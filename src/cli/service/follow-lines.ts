import type { Clock } from '../../base/clock.ts';
import { fileStart, linesFrom } from './last-lines.ts';
import type { FilePlace } from './last-lines.ts';

const pauseMs = 250;

/** The lines that are written behind a place, as they come, also across the change to a new file. Ends with the signal. */
export async function* followLines(
  path: string,
  from: FilePlace,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  for (let place = from; !signal.aborted;) {
    let { lines, end } = await linesFrom(path, place);
    if (place.inode !== 0 && end.inode !== place.inode) {
      yield* (await linesFrom(`${path}.1`, place)).lines;
      ({ lines, end } = await linesFrom(path, fileStart));
    }
    yield* lines;
    place = end;
    // Aborting ends the pause; there is nothing else to be done about it.
    await clock.sleep(pauseMs, signal).catch(() => undefined);
  }
}

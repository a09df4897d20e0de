import { stat } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import { systemErrorCode } from '../../base/errors.ts';
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
    const inode = await inodeOf(path);
    const isReplaced = place.inode !== 0 && inode !== undefined && inode !== place.inode;
    if (isReplaced) {
      yield* (await linesFrom(`${path}.1`, place)).lines;
      place = fileStart;
    }
    const { lines, end } = await linesFrom(path, place);
    yield* lines;
    place = end;
    // Aborting ends the pause; there is nothing else to be done about it.
    await clock.sleep(pauseMs, signal).catch(() => undefined);
  }
}

async function inodeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).ino;
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

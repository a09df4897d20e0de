import { open } from 'node:fs/promises';
import { systemErrorCode } from '../../base/errors.ts';

/** A place in a file that grows. */
export interface FilePlace {
  readonly inode: number;
  readonly position: number;
}

export const fileStart: FilePlace = { inode: 0, position: 0 };

/** The last lines of a file, of the older one beside it where it has fewer, and where they end. */
export async function lastLines(
  path: string,
  count: number,
): Promise<{ readonly lines: readonly string[]; readonly end: FilePlace }> {
  const older = (await linesFrom(`${path}.1`, fileStart)).lines;
  const { lines, end } = await linesFrom(path, fileStart);
  return { lines: count === 0 ? [] : [...older, ...lines].slice(-count), end };
}

/** The whole lines behind a place, and the place behind them. A file that is not there has none, and moves nothing. */
export async function linesFrom(
  path: string,
  place: FilePlace,
): Promise<{ readonly lines: readonly string[]; readonly end: FilePlace }> {
  try {
    // One and the same file is looked at and read, whatever its name stands for meanwhile.
    await using file = await open(path);
    const { ino: inode } = await file.stat();
    const bytes = (await file.readFile()).subarray(place.position);
    const whole = bytes.subarray(0, bytes.lastIndexOf('\n') + 1);
    const lines = whole
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '');
    return { lines, end: { inode, position: place.position + whole.length } };
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return { lines: [], end: place };
    throw thrown;
  }
}

import { readFile, stat } from 'node:fs/promises';
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

/** The whole lines behind a place, and the place behind them. A file that is not there has none. */
export async function linesFrom(
  path: string,
  { position }: FilePlace,
): Promise<{ readonly lines: readonly string[]; readonly end: FilePlace }> {
  try {
    const { ino: inode } = await stat(path);
    const bytes = (await readFile(path)).subarray(position);
    const whole = bytes.subarray(0, bytes.lastIndexOf('\n') + 1);
    const lines = whole
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '');
    return { lines, end: { inode, position: position + whole.length } };
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return { lines: [], end: fileStart };
    throw thrown;
  }
}

import { statSync } from 'node:fs';
import { describeError } from '../../base/errors.ts';

/** Differs whenever the file was written, put in the place of another, made or removed. */
export function stampOf(file: string): string {
  try {
    // Looked at with every message, and most homes lack some of these files: no error is made for that.
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? '' : `${found.mtimeNs}/${found.size}/${found.ino}`;
  } catch (thrown) {
    return describeError(thrown);
  }
}

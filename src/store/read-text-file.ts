import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { describeError, systemErrorCode } from '../base/errors.ts';

export type TextFile =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'missing' }
  | { readonly type: 'refused'; readonly problem: string };

const largestBytes = 1024 * 1024;

/** The text of a file that people write by hand. What is not a file, or is far too large for one, is not read. */
export function readTextFile(path: string): TextFile {
  let file: number | undefined;
  try {
    // Without waiting: to open a pipe that nobody writes to takes for ever.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return readOpened(file);
  } catch (thrown) {
    const code = systemErrorCode(thrown);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { type: 'missing' };
    return { type: 'refused', problem: describeError(thrown) };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function readOpened(file: number): TextFile {
  const found = fstatSync(file);
  if (!found.isFile()) return { type: 'refused', problem: 'it is not a file' };
  if (found.size > largestBytes) {
    const size = `${found.size.toLocaleString('en')} bytes, where ${largestBytes.toLocaleString('en')} are read`;
    return { type: 'refused', problem: `it is too large (${size})` };
  }
  const bytes = Buffer.alloc(found.size);
  return { type: 'text', text: bytes.toString('utf8', 0, readSync(file, bytes)) };
}

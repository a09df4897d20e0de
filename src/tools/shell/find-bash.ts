import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/**
 * Where bash is on this PATH. Found once, so that not every start of a shell tries all the folders before the right one.
 * Where there is none, the bare name: starting that says what is wrong.
 */
export function findBash(path: string): string {
  const candidates = path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, 'bash'));
  return candidates.find(isProgram) ?? 'bash';
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

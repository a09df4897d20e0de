import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Whether git would take the folder, or one above it, for a repository without a `.git`: then its settings, which can
 * name programs to run, are ordinary files that anyone may have put there.
 */
export function isBareRepository(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return false;
  if (['HEAD', 'objects', 'refs'].every((name) => existsSync(join(folder, name)))) return true;
  return folder !== dirname(folder) && isBareRepository(dirname(folder));
}

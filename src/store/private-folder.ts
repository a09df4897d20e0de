import { chmodSync, mkdirSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { dirname } from 'node:path';
import { AppError, systemErrorCode } from '../base/errors.ts';

export const privateFolderMode = 0o700;
export const privateFileMode = 0o600;

/** Makes a folder that only its owner can enter, or makes sure that an existing one is ours and closed to others. */
export function ensurePrivateFolder(path: string): void {
  makeFolder(path);
  const found = statSync(path);
  refuseForeignOwner(path, found);
  // Set after the fact, since the umask takes bits away when a folder is made.
  if ((found.mode & 0o777) !== privateFolderMode) chmodSync(path, privateFolderMode);
}

/** One level at a time: where nothing can be made, as in /proc, Node's own recursive way never comes back. */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: privateFolderMode });
  } catch (thrown) {
    // Another process may have been faster.
    if (systemErrorCode(thrown) !== 'EEXIST') throw thrown;
  }
}

/** Makes sure that only the owner can read an existing file. Says whether it had to. */
export function closeToOthers(path: string): 'was-closed' | 'was-open' {
  if ((statSync(path).mode & 0o777) === privateFileMode) return 'was-closed';
  chmodSync(path, privateFileMode);
  return 'was-open';
}

export function refuseForeignOwner(path: string, found: Stats): void {
  const us = process.getuid?.();
  if (us === undefined || found.uid === us) return;
  throw new AppError('unsafe-home', `${path} belongs to another user (uid ${found.uid}, and we are uid ${us})`);
}

import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../../base/errors.ts';

/**
 * Remembers which files of a folder stand at the paths, and returns a check that throws for good once one was deleted or
 * replaced: commits would then go into a file that nobody will ever find again.
 */
export function guardIdentity(paths: readonly [string, ...string[]]): () => void {
  const folder = dirname(paths[0]);
  let seen = lookAt(folder);
  const remembered = paths.map((path) => ({ path, identity: identityOf(path) }));
  let replaced: AppError | undefined;
  return () => {
    if (replaced !== undefined) throw replaced;
    // Before every commit one look, not one for each file.
    const look = lookAt(folder);
    if (look !== undefined && look === seen) return;
    seen = look;
    const changed = remembered.find(({ path, identity }) => identityOf(path) !== identity);
    if (changed === undefined) return;
    const message = `${changed.path} was deleted or replaced while the program was running; nothing more is written`;
    replaced = new AppError('store-failed', message);
    throw replaced;
  };
}

/** Below this, some systems give two changes the same time. */
const sameTimeMs = 50;

/**
 * Differs whenever a name in the folder was given, taken or given to another file. Undefined where that cannot be told: one
 * that has just changed may have changed again since.
 */
function lookAt(folder: string): string | undefined {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined || Date.now() - found.mtimeMs < sameTimeMs) return undefined;
  return `${found.dev}:${found.ino}:${found.mtimeMs}`;
}

function identityOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? 'missing' : `${found.dev}:${found.ino}`;
}

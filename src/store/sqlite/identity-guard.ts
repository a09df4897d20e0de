import { statSync } from 'node:fs';
import { AppError } from '../../base/errors.ts';

/**
 * Remembers which files stand at the paths, and returns a check that throws for good once one was deleted or replaced:
 * commits would then go into a file that nobody will ever find again.
 */
export function guardIdentity(paths: readonly string[]): () => void {
  const remembered = paths.map((path) => ({ path, identity: identityOf(path) }));
  let replaced: AppError | undefined;
  return () => {
    if (replaced !== undefined) throw replaced;
    const changed = remembered.find(({ path, identity }) => identityOf(path) !== identity);
    if (changed === undefined) return;
    const message = `${changed.path} was deleted or replaced while the program was running; nothing more is written`;
    replaced = new AppError('store-failed', message);
    throw replaced;
  };
}

function identityOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? 'missing' : `${found.dev}:${found.ino}`;
}

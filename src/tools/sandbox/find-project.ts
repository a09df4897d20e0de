import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The repository that a folder is a part of, without being all of it. `isApart` says which folders it may be. */
export function findProject(folder: string, isApart: (folder: string) => boolean): string | undefined {
  for (let above = dirname(folder); isApart(above); above = dirname(above)) {
    if (existsSync(join(above, '.git'))) return above;
  }
  return undefined;
}

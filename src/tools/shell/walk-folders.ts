import type { PlainRead } from './plain-reads.ts';

/** A read, with every folder that it may be run from. */
export interface PlacedRead extends PlainRead {
  readonly folders: readonly string[];
}

/**
 * Follows the reads of a text through its folders. Behind a `cd` that may fail, or moves nobody else, it is judged from where
 * that leads and from where it began. `places` are those that a word may name from a folder.
 */
export function walkFolders(
  reads: readonly PlainRead[],
  start: string,
  places: (path: string, from: string) => readonly string[],
): readonly PlacedRead[] {
  let folders: readonly string[] = [start];
  return reads.map((read) => {
    const placed = { ...read, folders };
    if (read.program === 'cd') {
      const led = folders.flatMap((folder) => places(read.paths[0] ?? '~', folder));
      folders = [...new Set(read.moves === 'surely' ? led : [...folders, ...led])];
    }
    return placed;
  });
}

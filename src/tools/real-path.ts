import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

const mostLinks = 40;

/** No system opens a longer one. */
export const longestPath = 4096;

/**
 * Where an absolute path leads once every link in it is followed, also when the end of it does not exist yet: writing to
 * a dangling link creates what the link names.
 */
export function realPath(path: string): string {
  // Looking for the part of it that exists would take as many steps as it has.
  return path.length > longestPath ? path : follow(path, 0);
}

function follow(path: string, links: number): string {
  try {
    return realpathSync.native(path);
  } catch {
    return followMissing(path, links);
  }
}

function followMissing(path: string, links: number): string {
  const parent = dirname(path);
  if (parent === path || links > mostLinks) return path;
  const target = readLink(path);
  if (target !== undefined) return follow(resolve(follow(parent, links), target), links + 1);
  return join(follow(parent, links), basename(path));
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

import { isAbsolute, relative, sep } from 'node:path';

/** Whether an absolute path is a folder or something below it. It goes by the names alone: links are followed before. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

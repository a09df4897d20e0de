import { statSync } from 'node:fs';

/** Whether a path leads to a folder. What is closed to us, or leads in circles, is none. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
}

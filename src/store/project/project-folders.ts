import { realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isInside } from '../../base/is-inside.ts';
import { realFolder } from '../home/trusted-folders.ts';

/** A file or a folder of a project, and the project that it must not lead out of. */
export interface FoundInProject {
  readonly project: string;
  /** The folder that it was found in. */
  readonly folder: string;
  /** Absolute, with all links followed. */
  readonly path: string;
}

/** The folders of the project around a folder, from that one up to the root of its repository; undefined where it is gone. */
export function projectFolders(workdir: string): readonly string[] | undefined {
  const start = realFolder(workdir);
  return start === undefined ? undefined : foldersUpToRoot(start);
}

/** The nearest one of that name. One that is a link out of the project is none. */
export function findNearest(workdir: string, name: string): FoundInProject | undefined {
  const folders = projectFolders(workdir) ?? [];
  const folder = folders.find((each) => isThere(join(each, name)));
  const project = folders.at(-1);
  if (folder === undefined || project === undefined) return undefined;
  const path = realPath(join(folder, name));
  return path !== undefined && isInside(path, project) ? { project, folder, path } : undefined;
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined; // gone between two looks
  }
}

/** Outside of a repository nothing says how far a project reaches, so that it is the folder alone. */
function foldersUpToRoot(start: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = start; ; folder = dirname(folder)) {
    folders.push(folder);
    if (isThere(join(folder, '.git'))) return folders;
    if (dirname(folder) === folder) return [start];
  }
}

export function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // closed to us, or a link that leads in circles
  }
}

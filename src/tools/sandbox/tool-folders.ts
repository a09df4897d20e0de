import { existsSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { isInside } from '../../base/is-inside.ts';

const programFolders: ReadonlySet<string> = new Set(['bin', 'sbin', 'shims']);
// What stands beside their programs is not only there for those.
const sharedFolders: readonly string[] = ['', '.local', '.cargo', '.config'];
const besidePrograms: readonly string[] = [
  '.local/share/mise',
  '.local/share/pipx',
  '.local/share/uv',
  '.rustup',
  '.gitconfig',
  '.config/git/config',
  '.config/git/ignore',
];

/**
 * What commands need to find their programs, besides the system's own folders: the folders of the PATH, each with what was
 * installed together with it, and a few that belong to programs which many people keep in their home.
 */
export function findToolFolders(path: string, userHome: string): readonly string[] {
  const ofPath = path
    .split(':')
    .filter(isAbsolute)
    .map((folder) => installedWith(folder, userHome));
  const ofHome = besidePrograms.map((name) => join(userHome, name));
  const found = [...new Set([...ofPath, ...ofHome])].filter(
    // Whoever has his home on the PATH does not mean all of it.
    (folder) => existsSync(folder) && !isInside(userHome, folder),
  );
  return found.filter((folder) => !found.some((other) => other !== folder && isInside(folder, other)));
}

function installedWith(folder: string, userHome: string): string {
  const parent = dirname(folder);
  const isShared = sharedFolders.some((name) => join(userHome, name) === parent) || parent === '/';
  return programFolders.has(basename(folder)) && !isShared && !isInside(userHome, parent) ? parent : folder;
}

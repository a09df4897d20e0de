import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

const builtins: ReadonlySet<string> = new Set(['cd', 'echo', 'pwd']);

const systemFolders: ReadonlySet<string> = new Set([
  '/bin',
  '/sbin',
  '/usr/bin',
  '/usr/sbin',
  '/usr/local/bin',
  '/opt/homebrew/bin',
]);

/**
 * Whether a name, looked up along this path, is a program of the system or of bash itself. A folder of the project that
 * stands before those may hold a program of the same name, which the model could have written.
 */
export function isSystemProgram(name: string, path: string): boolean {
  if (builtins.has(name)) return true;
  for (const folder of path.split(':')) {
    if (!isAbsolute(folder)) return false;
    if (existsSync(join(folder, name))) return systemFolders.has(folder.replace(/(?<=.)\/+$/, ''));
  }
  return false;
}

/** The program that a name means along this path, with all links followed; undefined where that cannot be said. */
export function findProgram(name: string, path: string): string | undefined {
  for (const folder of path.split(':')) {
    if (!isAbsolute(folder)) return undefined;
    const file = join(folder, name);
    if (isExecutable(file)) return realpathSync(file);
  }
  return undefined;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // missing, or closed to us: bash passes it over, too
  }
}

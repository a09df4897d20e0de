import { readdirSync } from 'node:fs';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { isDelicatePath } from '../delicate-names.ts';
import { mayHoldLogin } from '../login-files.ts';

export interface GuardedFiles {
  /** What runs code or instructs a model later, outside of the sandbox: seen there, and not changed. */
  readonly readOnly: readonly string[];
  readonly hiddenFiles: readonly string[];
  readonly hiddenFolders: readonly string[];
}

// A command waits for this, so that it is a look around and no search. Both are told in the documentation.
const deepest = 3;
const mostFolders = 300;

const passedOver: ReadonlySet<string> = new Set([
  '.next',
  '.tox',
  '.venv',
  '__pycache__',
  'bower_components',
  'build',
  'dist',
  'node_modules',
  'target',
  'vendor',
  'venv',
]);

/** What of a working folder is kept from the commands that may write to it. Links are what they name, which they do not see. */
export function findGuardedFiles(workdir: string): GuardedFiles {
  const found = { readOnly: [] as string[], hiddenFiles: [] as string[], hiddenFolders: [] as string[] };
  let level: readonly string[] = [workdir];
  for (let depth = 0, looked = 0; depth < deepest && looked < mostFolders; depth += 1) {
    const folders = level.slice(0, mostFolders - looked);
    looked += folders.length;
    level = folders.flatMap((folder) => listFolder(folder).flatMap((entry) => sortOut(folder, entry, found)));
  }
  return found;
}

interface Found {
  readonly readOnly: string[];
  readonly hiddenFiles: string[];
  readonly hiddenFolders: string[];
}

/** Notes what is to be guarded, and returns a folder that is to be looked into. */
function sortOut(folder: string, entry: Dirent, found: Found): readonly string[] {
  const path = join(folder, entry.name);
  if (entry.isDirectory()) {
    if (mayHoldLogin(join(path, 'any'))) found.hiddenFolders.push(path);
    else if (isDelicatePath(entry.name)) found.readOnly.push(path);
    else return passedOver.has(entry.name) ? [] : [path];
  } else if (entry.isFile()) {
    if (mayHoldLogin(path)) found.hiddenFiles.push(path);
    else if (isDelicatePath(entry.name)) found.readOnly.push(path);
  }
  return [];
}

function listFolder(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // what we cannot look into, a command cannot either
  }
}

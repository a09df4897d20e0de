import { readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describeError } from '../../base/errors.ts';
import { isInside } from '../../base/is-inside.ts';
import { removeInvisible } from '../../base/remove-invisible.ts';
import type { WrittenFile } from '../../model/prompt.ts';
import { isThere, projectFolders } from '../project/project-folders.ts';
import { readTextFile } from '../read-text-file.ts';

/** The files of the nearest folder that has any, and the project that they must not lead out of. */
export interface FoundContext {
  readonly project: string;
  readonly folder: string;
  readonly files: readonly string[];
}

/** The names that people use, by rank: the first that is there counts, and no other. */
const names: readonly string[] = ['.hermes.md', 'HERMES.md', 'AGENTS.md', 'CLAUDE.md'];

/** Finds what a project asks of whoever works in it: from the working folder up to the root of its repository. */
export function findContext(workdir: string): FoundContext | undefined {
  const folders = projectFolders(workdir) ?? [];
  const project = folders.at(-1) ?? workdir;
  for (const folder of folders) {
    const files = filesIn(folder);
    if (files.length > 0) return { project, folder, files };
  }
  return undefined;
}

function filesIn(folder: string): readonly string[] {
  const first = names.map((name) => join(folder, name)).find(isThere);
  return first === undefined ? rulesOfCursor(folder) : [first];
}

/** The last in rank, and the only ones that may be several. */
function rulesOfCursor(folder: string): readonly string[] {
  const old = join(folder, '.cursorrules');
  const rules = join(folder, '.cursor', 'rules');
  const files = isThere(rules) ? listFiles(rules).filter((name) => name.endsWith('.mdc')) : [];
  return [...(isThere(old) ? [old] : []), ...files.toSorted().map((name) => join(rules, name))];
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // closed to us, or no folder
  }
}

/** Reads those of the files that stay in their project and are in a trusted folder. */
export function readContext(
  { project, files }: FoundContext,
  isTrusted: (folder: string) => boolean,
  report: (problem: string) => void,
): readonly WrittenFile[] {
  return files.flatMap((path) => {
    const found = readInside(path, project, isTrusted);
    if (found.type === 'refused') report(`${path} is not read: ${found.problem}`);
    if (found.type !== 'text') return [];
    const { text, removed: hidden } = removeInvisible(found.text);
    return text.trim() === '' ? [] : [{ path, text, hidden }];
  });
}

function readInside(
  path: string,
  project: string,
  isTrusted: (folder: string) => boolean,
): ReturnType<typeof readTextFile> {
  try {
    const real = realpathSync.native(path);
    if (!isInside(real, project)) return { type: 'refused', problem: `it is a link that leads out of ${project}` };
    if (!isTrusted(dirname(real))) return { type: 'missing' };
    return readTextFile(real);
  } catch (thrown) {
    return { type: 'refused', problem: describeError(thrown) };
  }
}

export function namesOf({ files }: FoundContext): readonly string[] {
  return files.map((path) => basename(path));
}

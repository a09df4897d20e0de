import { readdir } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { similarity } from './similarity.ts';

const mostNames = 5;
const leastScore = 0.4;

/** Says that a file is missing, and what stands in its folder under a name like it. */
export async function describeMissing(path: string): Promise<string> {
  const names = await listFolder(dirname(path));
  if (names === undefined) return `there is no ${path}, nor a folder ${dirname(path)}`;
  const similar = findSimilar(basename(path), names).map((name) => join(dirname(path), name));
  return similar.length === 0 ? `there is no ${path}` : `there is no ${path}; similar: ${similar.join(', ')}`;
}

async function listFolder(path: string): Promise<readonly string[] | undefined> {
  try {
    return await readdir(path);
  } catch {
    return undefined;
  }
}

/** The names most like the wanted one, best first. */
export function findSimilar(wanted: string, names: readonly string[]): readonly string[] {
  return names
    .map((name) => ({ name, score: scoreName(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter((candidate) => candidate.score >= leastScore)
    .toSorted((left, right) => right.score - left.score || left.name.localeCompare(right.name))
    .slice(0, mostNames)
    .map((candidate) => candidate.name);
}

function scoreName(wanted: string, name: string): number {
  const isSameStem = stem(wanted) !== '' && stem(wanted) === stem(name);
  const isPart = wanted.length > 2 && (name.includes(stem(wanted)) || (name.length > 2 && wanted.includes(stem(name))));
  return Math.max(similarity(wanted, name), isSameStem ? 0.95 : 0, isPart ? 0.5 : 0);
}

function stem(name: string): string {
  return basename(name, extname(name));
}

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Every file and folder in a folder, itself included, with its permissions. Nothing is opened. */
export function modesIn(folder: string): Readonly<Record<string, string>> {
  const paths = ['', ...(readdirSync(folder, { recursive: true }) as string[])];
  return Object.fromEntries(paths.map((path) => [path, (statSync(join(folder, path)).mode & 0o777).toString(8)]));
}

/** The files of a folder that contain one of the texts, without regard to case. Only for a store that is not open. */
export function filesWith(folder: string, texts: readonly string[]): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files
    .filter((path) => {
      const content = readFileSync(path).toString('latin1').toLowerCase();
      return texts.some((text) => content.includes(Buffer.from(text).toString('latin1').toLowerCase()));
    })
    .map((path) => relative(folder, path));
}

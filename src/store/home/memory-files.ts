import { join } from 'node:path';
import { AppError } from '../../base/errors.ts';
import type { Memory } from '../../model/store.ts';
import { readTextFile } from '../read-text-file.ts';
import type { HomeFolder } from './home-folder.ts';
import { writeAtomically } from './write-atomically.ts';

// The order in which they stand in the prompt, whatever order the disk has.
const names: readonly string[] = ['MEMORY.md', 'USER.md'];

/** The memory as two files in the home that a person can read and edit. */
export function openMemoryFiles(home: HomeFolder): Memory {
  return {
    async load() {
      const files = names.map((name) => ({ name, text: readIfThere(home, name) }));
      return files.flatMap(({ name, text }) => (text === undefined ? [] : [{ name, text }]));
    },
    async save(name, text) {
      if (!names.includes(name)) throw new AppError('bad-usage', `there is no memory called ${name}`);
      await writeAtomically(join(home.path, name), text);
    },
  };
}

function readIfThere(home: HomeFolder, name: string): string | undefined {
  const path = join(home.path, name);
  const found = readTextFile(path);
  if (found.type === 'refused') throw new AppError('store-failed', `${path} cannot be read: ${found.problem}`);
  return found.type === 'text' ? found.text : undefined;
}

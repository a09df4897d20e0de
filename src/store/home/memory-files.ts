import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, systemErrorCode } from '../../base/errors.ts';
import type { Memory } from '../../model/store.ts';
import type { HomeFolder } from './home-folder.ts';
import { writeAtomically } from './write-atomically.ts';

// The order in which they stand in the prompt, whatever order the disk has.
const names: readonly string[] = ['MEMORY.md', 'USER.md'];

/** The memory as two files in the home that a person can read and edit. */
export function openMemoryFiles(home: HomeFolder): Memory {
  return {
    async load() {
      const files = await Promise.all(names.map(async (name) => ({ name, text: await readIfThere(home, name) })));
      return files.flatMap(({ name, text }) => (text === undefined ? [] : [{ name, text }]));
    },
    async save(name, text) {
      if (!names.includes(name)) throw new AppError('bad-usage', `there is no memory called ${name}`);
      await writeAtomically(join(home.path, name), text);
    },
  };
}

async function readIfThere(home: HomeFolder, name: string): Promise<string | undefined> {
  try {
    return await readFile(join(home.path, name), 'utf8');
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTempFolder } from './temp-folder.ts';
import type { TempFolder } from './temp-folder.ts';

/** A folder with programs that do nothing but write down how they were called, to be put first into a PATH. */
export async function openFakePrograms(...names: readonly string[]): Promise<FakePrograms> {
  const folder = await makeTempFolder();
  const programs = new FakePrograms(folder);
  await mkdir(programs.bin);
  for (const name of names) await programs.add(name);
  return programs;
}

export class FakePrograms implements AsyncDisposable {
  readonly bin: string;
  readonly path: string;
  readonly #ledger: string;
  readonly #folder: TempFolder;

  constructor(folder: TempFolder) {
    this.bin = join(folder.path, 'bin');
    this.path = `${this.bin}:${process.env['PATH'] ?? ''}`;
    this.#ledger = join(folder.path, 'ledger');
    this.#folder = folder;
  }

  async add(name: string): Promise<void> {
    const file = join(this.bin, name);
    await writeFile(file, `#!/bin/sh\necho ${name} "$@" >> '${this.#ledger}'\n`);
    await chmod(file, 0o755);
  }

  /** How they were called, in order. */
  async calls(): Promise<readonly string[]> {
    const text = await readFile(this.#ledger, 'utf8').catch(() => '');
    return text.split('\n').filter((line) => line !== '');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder[Symbol.asyncDispose]();
  }
}

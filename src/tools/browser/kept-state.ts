import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import { isJsonObject, parseJson } from '../../base/json.ts';

export type StorageState = Exclude<NonNullable<BrowserContextOptions['storageState']>, string>;

/** What a session's browser is opened with again: what pages have stored, and where its tabs were. */
export interface KeptState {
  readonly storage: StorageState;
  readonly tabs: readonly string[];
  /** The place of the tab in front. */
  readonly front: number;
}

/** The file in which it is kept. It logs in wherever the session has logged in, so only its owner can read it. */
export class KeptStateFile {
  readonly #path: string;
  #written: string | undefined;
  #isOver = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** What is not there or not whole is nothing. */
  async read(): Promise<KeptState | undefined> {
    const text = await readFile(this.#path, 'utf8').catch(() => '');
    const read = parseJson(text);
    return isJsonObject(read) && isJsonObject(read['storage']) && Array.isArray(read['tabs'])
      ? (read as unknown as KeptState)
      : undefined;
  }

  async write(state: KeptState): Promise<void> {
    const text = JSON.stringify(state);
    if (text === this.#written || this.#isOver) return;
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    await writeFile(`${this.#path}.new`, text, { mode: 0o600 });
    await rename(`${this.#path}.new`, this.#path);
    this.#written = text;
  }

  /** Nothing is written from now on. */
  async remove(): Promise<void> {
    this.#isOver = true;
    await rm(this.#path, { force: true });
  }
}

import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { openReal } from './open-real.ts';

/**
 * A file or folder that is held open while it is searched. What is searched is what stood at its real path when that was
 * judged, whatever is put there meanwhile. Elsewhere than on Linux the path is only known to have been true at first.
 */
export class SearchRoot implements AsyncDisposable {
  /** How the program that searches is told of it. */
  readonly word: string;
  /** Where that program is to be started; undefined: anywhere. */
  readonly folder: string | undefined;
  /** Open files that it is given, from number 3 on. */
  readonly files: readonly number[];
  readonly #path: string;
  readonly #handle: FileHandle;

  private constructor(path: string, handle: FileHandle, kind: 'file' | 'folder' | 'elsewhere') {
    this.#path = path;
    this.#handle = handle;
    this.word = { file: '/proc/self/fd/3', folder: './', elsewhere: path }[kind];
    // Looked up by the program itself before it is anything else than a copy of us.
    this.folder = kind === 'folder' ? `/proc/self/fd/${handle.fd}` : undefined;
    this.files = kind === 'file' ? [handle.fd] : [];
  }

  /** Throws where a link has taken the place of what was judged. */
  static async hold(path: string): Promise<SearchRoot> {
    const handle = await openReal(path);
    try {
      const isFolder = (await handle.stat()).isDirectory();
      return new SearchRoot(path, handle, process.platform !== 'linux' ? 'elsewhere' : isFolder ? 'folder' : 'file');
    } catch (thrown) {
      await handle.close();
      throw thrown;
    }
  }

  /** A line that begins with a path as the program has it, with the path that it really is. */
  named(line: string): string {
    if (!line.startsWith(this.word)) return line;
    const rest = line.slice(this.word.length);
    return this.folder === undefined ? `${this.#path}${rest}` : join(this.#path, '/') + rest;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

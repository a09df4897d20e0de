import { constants } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemErrorCode } from '../../base/errors.ts';
import { openReal } from './open-real.ts';

/**
 * A folder that is held open. What is done to a name in it is done there and nowhere else, whatever is put in the place of
 * the folders on the way to it meanwhile. Elsewhere than on Linux the way is only known to have been true at first.
 */
export class HeldFolder implements AsyncDisposable {
  readonly #path: string;
  readonly #handle: FileHandle;

  constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  /** How the system is told of a name in it. */
  at(name: string): string {
    return join(process.platform === 'linux' ? this.#descriptor : this.#path, name);
  }

  /** Waits until the names in it are on the disk. */
  async sync(): Promise<void> {
    try {
      await this.#handle.sync();
    } catch (thrown) {
      // Some file systems cannot do this for a folder; the file is in place all the same.
      if (systemErrorCode(thrown) === undefined) throw thrown;
    }
  }

  /** An error of the system as people read it: with the path that they know, and the name that was meant for what has another one in passing. */
  explain(thrown: unknown, name?: { readonly passing: string; readonly meant: string }): unknown {
    const code = systemErrorCode(thrown);
    if (!(thrown instanceof Error) || code === undefined) return thrown;
    const named = name === undefined ? thrown.message : thrown.message.replaceAll(name.passing, name.meant);
    const message = named.replaceAll(this.#descriptor, this.#path);
    return Object.assign(new Error(message, { cause: thrown }), { code });
  }

  get #descriptor(): string {
    return `/proc/self/fd/${this.#handle.fd}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

/** Holds the folder at a real path. Where there is none it is made, with those above it. */
export async function holdFolder(path: string): Promise<HeldFolder> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY;
  try {
    return new HeldFolder(path, await openReal(path, flags));
  } catch (thrown) {
    if (systemErrorCode(thrown) !== 'ENOENT' || path === dirname(path)) throw thrown;
  }
  await using parent = await holdFolder(dirname(path));
  try {
    await mkdir(parent.at(basename(path)));
  } catch (thrown) {
    if (systemErrorCode(thrown) !== 'EEXIST') throw parent.explain(thrown);
  }
  return new HeldFolder(path, await openReal(path, flags));
}

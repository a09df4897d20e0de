import { hash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, mkdir, open, readFile, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemErrorCode } from '../../base/errors.ts';
import { readReal } from '../files/open-real.ts';
import { replaceFile, syncFolder } from '../files/replace-file.ts';

/** What stood at a path. The bytes of a file are kept under their digest. */
export type FileState =
  /** `folder` is the topmost one that had to be made for the file. */
  | { readonly type: 'absent'; readonly folder?: string }
  | ({ readonly type: 'file'; readonly digest: string } & Permissions)
  | { readonly type: 'not-kept'; readonly reason: string };

interface Permissions {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

const mostBytes = 20_000_000;

export function digestOf(content: string | Uint8Array): string {
  return hash('sha256', content);
}

/** Whether two states have the same content; of a file that was not kept nobody knows. */
export function isSameContent(left: FileState, right: FileState): boolean {
  if (left.type === 'file' && right.type === 'file') return left.digest === right.digest;
  return left.type === 'absent' && right.type === 'absent';
}

/** Bytes of files under their digests: what is the same is kept once. */
export class KeptFiles {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** What stands at a path now; its bytes are on the disk a second time when this resolves. */
  async keep(path: string): Promise<FileState> {
    const { state, bytes } = await look(path);
    if (state.type === 'file' && bytes !== undefined) await this.#put(state.digest, bytes);
    return state;
  }

  /** The bytes that were kept, or undefined where they are gone or damaged. */
  async read(digest: string): Promise<Buffer | undefined> {
    try {
      const bytes = await readFile(join(this.folder, digest));
      return digestOf(bytes) === digest ? bytes : undefined;
    } catch (thrown) {
      if (systemErrorCode(thrown) === 'ENOENT') return undefined;
      throw thrown;
    }
  }

  /** Makes a path what it was. Missing bytes are a reason to leave it as it is. */
  async restore(path: string, state: FileState): Promise<string | undefined> {
    switch (state.type) {
      case 'not-kept':
        return state.reason;
      case 'absent':
        await rm(path, { force: true });
        await removeEmptied(dirname(path), state.folder);
        return undefined;
      case 'file': {
        const bytes = await this.read(state.digest);
        if (bytes === undefined) return 'what was kept of it is gone';
        await replaceFile(path, bytes, state);
        return undefined;
      }
    }
  }

  async bytesOf(digest: string): Promise<number> {
    return await lstat(join(this.folder, digest)).then(
      ({ size }) => size,
      () => 0,
    );
  }

  /** Removes everything but these. */
  async removeAllBut(digests: ReadonlySet<string>): Promise<void> {
    const names = await readdir(this.folder).catch(() => []);
    for (const name of names.filter((each) => !digests.has(each))) await rm(join(this.folder, name), { force: true });
  }

  async #put(digest: string, bytes: Buffer): Promise<void> {
    const path = join(this.folder, digest);
    if ((await this.bytesOf(digest)) === bytes.length && bytes.length > 0) return;
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const temporary = `${path}.new`;
    {
      await using file = await open(temporary, 'w', 0o600);
      await file.writeFile(bytes);
      await file.sync();
    }
    await rename(temporary, path);
    await syncFolder(this.folder);
  }
}

/** What stands at a path now, without keeping anything. */
export async function look(path: string): Promise<{ readonly state: FileState; readonly bytes?: Buffer }> {
  const found = await lstatIfAny(path);
  if (found === undefined) return { state: await describeAbsence(path) };
  if (!found.isFile()) return { state: { type: 'not-kept', reason: 'it is not a file' } };
  if (found.size > mostBytes) return { state: { type: 'not-kept', reason: `it is larger than ${mostBytes} bytes` } };
  const bytes = await readUnlessMoved(path);
  if (bytes === undefined) return { state: { type: 'not-kept', reason: 'a link has taken its place' } };
  const { mode, uid, gid } = found;
  return { state: { type: 'file', digest: digestOf(bytes), mode: mode & 0o7777, uid, gid }, bytes };
}

async function readUnlessMoved(path: string): Promise<Buffer | undefined> {
  try {
    return await readReal(path);
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ELOOP') return undefined;
    throw thrown;
  }
}

async function describeAbsence(path: string): Promise<FileState> {
  let made: string | undefined;
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if ((await lstatIfAny(folder)) !== undefined) break;
    made = folder;
  }
  return made === undefined ? { type: 'absent' } : { type: 'absent', folder: made };
}

async function lstatIfAny(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (thrown) {
    const code = systemErrorCode(thrown);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw thrown;
  }
}

/** Takes away the folders that were made for a file, as far as nothing else has come into them. */
async function removeEmptied(folder: string, topmost: string | undefined): Promise<void> {
  if (topmost === undefined) return;
  for (let each = folder; each.startsWith(topmost); each = dirname(each)) {
    try {
      await rmdir(each);
    } catch (thrown) {
      if (systemErrorCode(thrown) === undefined) throw thrown;
      return;
    }
  }
}

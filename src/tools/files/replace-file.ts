import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemErrorCode } from '../../base/errors.ts';

type Permissions = Pick<Stats, 'mode' | 'uid' | 'gid'>;

/** What stands at a path now; undefined where nothing does. */
export async function statIfAny(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

/**
 * Puts a file in place whole or not at all: whoever reads meanwhile, or after a crash, sees the old content or the new.
 * Permissions of an existing file are kept, and missing folders are made.
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  existing: Permissions | undefined,
): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  const temporary = join(folder, `.talaria-${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeDurably(temporary, content, existing);
    await rename(temporary, path);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw thrown;
  }
  await syncFolder(folder);
}

async function writeDurably(
  path: string,
  content: string | Uint8Array,
  existing: Permissions | undefined,
): Promise<void> {
  await using file = await open(path, 'wx', 0o666);
  await keepPermissions(file, existing);
  await file.writeFile(content);
  await file.sync();
}

async function keepPermissions(file: FileHandle, existing: Permissions | undefined): Promise<void> {
  if (existing === undefined) return;
  // Only root can give a file away; for anyone else the new file is theirs, as it is with every editor that renames.
  if (process.getuid?.() === 0) await file.chown(existing.uid, existing.gid);
  await file.chmod(existing.mode & 0o7777);
}

/** Waits until the names in a folder are on the disk. */
export async function syncFolder(path: string): Promise<void> {
  try {
    await using folder = await open(path, 'r');
    await folder.sync();
  } catch (thrown) {
    // Some file systems cannot do this for a folder; the file is in place all the same.
    if (systemErrorCode(thrown) === undefined) throw thrown;
  }
}

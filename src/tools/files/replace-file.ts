import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { systemErrorCode } from '../../base/errors.ts';
import { holdFolder } from './held-folder.ts';

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
 * Permissions of an existing file are kept, and missing folders are made. The path is a real one: no link is followed.
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  existing: Permissions | undefined,
): Promise<void> {
  await using folder = await holdFolder(dirname(path));
  const temporary = folder.at(`.talaria-${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeDurably(temporary, content, existing);
    await rename(temporary, folder.at(basename(path)));
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw folder.explain(thrown);
  }
  await folder.sync();
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

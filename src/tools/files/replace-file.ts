import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import type { Stats } from 'node:fs';
import { access, open, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { systemErrorCode } from '../../base/errors.ts';
import { holdFolder } from './held-folder.ts';

const denials: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);

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
 * Why a file is not to be written to, undefined where it may be. A folder would let us put another one in the place of a file that is
 * protected, which is not what whoever protected it meant.
 */
export async function findProtection(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.W_OK);
    return undefined;
  } catch (thrown) {
    if (!denials.has(systemErrorCode(thrown) ?? '')) throw thrown;
    return `there is no permission to write to ${path}; ask the user before you change that`;
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
  const passing = `.talaria-${randomBytes(6).toString('hex')}.tmp`;
  const temporary = folder.at(passing);
  try {
    await writeDurably(temporary, content, existing);
    await rename(temporary, folder.at(basename(path)));
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw folder.explain(thrown, { passing, meant: basename(path) });
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

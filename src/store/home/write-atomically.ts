import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { privateFileMode } from '../private-folder.ts';

/** Replaces a file as a whole: whoever reads it, also after a crash, finds the old text or the new. */
export async function writeAtomically(path: string, text: string, mode = privateFileMode): Promise<void> {
  const partial = `${path}.${randomUUID()}.partial`;
  try {
    await writeThrough(partial, text, mode);
    await rename(partial, path);
  } catch (thrown) {
    await rm(partial, { force: true });
    throw thrown;
  }
  await syncFolder(dirname(path));
}

async function writeThrough(path: string, text: string, mode: number): Promise<void> {
  await using file = await open(path, 'wx', privateFileMode);
  await file.chmod(mode);
  await file.writeFile(text);
  await file.sync();
}

/** The new name is durable only when the folder is. */
async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  await folder.sync();
}

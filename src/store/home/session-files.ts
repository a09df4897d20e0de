import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { SessionId } from '../../base/ids.ts';
import { ensurePrivateFolder, privateFileMode } from '../private-folder.ts';

/** What people sent, for as long as its session is kept. A file stands under its name only when all of it is there. */
export class SessionFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Keeps a file, in the place of one that has the name already, and says where. */
  async keep(sessionId: SessionId, name: string, content: AsyncIterable<Uint8Array>): Promise<string> {
    const folder = this.#folderOf(sessionId);
    ensurePrivateFolder(folder);
    const path = join(folder, basename(name));
    const partial = `${path}.${randomUUID()}.partial`;
    try {
      await write(partial, content);
      await rename(partial, path);
    } catch (thrown) {
      await rm(partial, { force: true });
      throw thrown;
    }
    return path;
  }

  async remove(sessionId: SessionId): Promise<void> {
    await rm(this.#folderOf(sessionId), { recursive: true, force: true, maxRetries: 3 });
  }

  #folderOf(sessionId: SessionId): string {
    return join(this.#folder, sessionId);
  }
}

async function write(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  await using file = await open(path, 'wx', privateFileMode);
  await file.writeFile(content);
  // Telegram is told that the message was dealt with, and hands the file out no more.
  await file.sync();
}

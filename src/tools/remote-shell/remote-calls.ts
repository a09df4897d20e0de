import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionId } from '../../base/ids.ts';
import { isJsonObject } from '../../base/json.ts';
import type { Json } from '../../base/json.ts';

/** Where a call was sent, and in which life of that place. */
export interface SentCall {
  readonly where: string;
  readonly epoch: string;
}

/**
 * Which calls were sent elsewhere, written down before they are: what became of them is written there. One stays until
 * its session's next command, since only then its outcome surely is in the log.
 */
export class RemoteCalls {
  readonly #tasks: string;
  readonly #held = new Set<string>();

  constructor(tasks: string) {
    this.#tasks = tasks;
  }

  /** Holds the call until it is let go of, under a key that is one plain word, and the name of a folder there. */
  hold(sessionId: SessionId, idempotencyKey: string): string {
    const key = idempotencyKey.replaceAll(/[^\w-]/g, '_');
    this.#held.add(`${sessionId}/${key}`);
    return key;
  }

  letGo(sessionId: SessionId, key: string): void {
    this.#held.delete(`${sessionId}/${key}`);
  }

  isBusy(sessionId: SessionId): boolean {
    return [...this.#held].some((name) => name.startsWith(`${sessionId}/`));
  }

  /** The calls whose records nobody needs any more, here or there. */
  settled(sessionId: SessionId): readonly string[] {
    const keys = this.wasOpened(sessionId) ? readdirSync(this.#folderOf(sessionId)) : [];
    return keys.filter((key) => !this.#held.has(`${sessionId}/${key}`));
  }

  forget(sessionId: SessionId, keys: readonly string[]): void {
    for (const key of keys) rmSync(join(this.#folderOf(sessionId), key), { force: true });
  }

  /** For the time before anything is sent: from here on the session may have something elsewhere. */
  open(sessionId: SessionId): void {
    mkdirSync(this.#folderOf(sessionId), { recursive: true, mode: 0o700 });
  }

  note(sessionId: SessionId, key: string, call: SentCall): void {
    this.open(sessionId);
    writeFileSync(join(this.#folderOf(sessionId), key), JSON.stringify(call), { mode: 0o600 });
  }

  noted(sessionId: SessionId, key: string): SentCall | undefined {
    try {
      const value = JSON.parse(readFileSync(join(this.#folderOf(sessionId), key), 'utf8')) as Json;
      if (!isJsonObject(value)) return undefined;
      const { where, epoch } = value;
      return typeof where === 'string' && typeof epoch === 'string' ? { where, epoch } : undefined;
    } catch {
      return undefined; // never sent, or not written whole: nothing is known of it
    }
  }

  /** Whether the session may have something elsewhere. */
  wasOpened(sessionId: SessionId): boolean {
    return existsSync(this.#folderOf(sessionId));
  }

  #folderOf(sessionId: SessionId): string {
    return join(this.#tasks, sessionId, 'remote-calls');
  }
}

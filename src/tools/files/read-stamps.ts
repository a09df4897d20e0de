import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { systemErrorCode } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';

const mostStamps = 5000;

/**
 * What files were like when a conversation last saw them, so that a change by someone else is noticed. Kept beside the
 * agents, so that an eviction forgets nothing; the oldest are forgotten first, and nothing is claimed of what is forgotten.
 */
export class ReadStamps {
  readonly #stamps = new Map<string, string>();

  /** Notes that the conversation knows the file as it is now. */
  async note(sessionId: SessionId, path: string): Promise<void> {
    const key = keyOf(sessionId, path);
    const stamp = await stampOf(path);
    this.#stamps.delete(key);
    if (stamp === undefined) return;
    this.#stamps.set(key, stamp);
    const [oldest] = this.#stamps.keys();
    if (this.#stamps.size > mostStamps && oldest !== undefined) this.#stamps.delete(oldest);
  }

  /** Whether the file is not the one any more that the conversation knew. False where it never saw it, or it is gone. */
  async isStale(sessionId: SessionId, path: string): Promise<boolean> {
    const known = this.#stamps.get(keyOf(sessionId, path));
    const now = known === undefined ? undefined : await stampOf(path);
    return now !== undefined && now !== known;
  }
}

function keyOf(sessionId: SessionId, path: string): string {
  return `${sessionId}:${path}`;
}

async function stampOf(path: string): Promise<string | undefined> {
  try {
    const file: BigIntStats = await stat(path, { bigint: true });
    return [file.dev, file.ino, file.size, file.mtimeNs].join(':');
  } catch (thrown) {
    if (systemErrorCode(thrown) === undefined) throw thrown;
    return undefined;
  }
}

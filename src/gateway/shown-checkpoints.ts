import type { SessionId } from '../base/ids.ts';
import type { Checkpoint } from '../model/file-history.ts';

const mostSessions = 200;

/**
 * Which list of checkpoints the people of a session saw last. Its numbers count from the newest, so that they mean something
 * else as soon as there is a newer one. Kept in memory alone: whoever saw none counts from now.
 */
export class ShownCheckpoints {
  readonly #newest = new Map<SessionId, string>();

  note(sessionId: SessionId, [newest]: readonly Checkpoint[]): void {
    if (newest === undefined) return;
    this.#newest.delete(sessionId);
    this.#newest.set(sessionId, newest.id);
    const [oldest] = this.#newest.keys();
    if (this.#newest.size > mostSessions && oldest !== undefined) this.#newest.delete(oldest);
  }

  /** Whether a number that was read in the list would mean something else by now. */
  isOld(sessionId: SessionId, [newest]: readonly Checkpoint[]): boolean {
    const seen = this.#newest.get(sessionId);
    return seen !== undefined && seen !== newest?.id;
  }
}

import type { PersonId, SessionId } from '../base/ids.ts';

/**
 * Sessions in which calls run without a question, and who wished it. Kept in memory alone, so that it ends with the program
 * and can never be found switched on by someone who did not do it.
 */
export class Yolo {
  readonly #by = new Map<SessionId, PersonId>();

  /** Who switched it on; undefined where it is off. */
  by(sessionId: SessionId): PersonId | undefined {
    return this.#by.get(sessionId);
  }

  switchOn(sessionId: SessionId, by: PersonId): void {
    this.#by.set(sessionId, by);
  }

  switchOff(sessionId: SessionId): void {
    this.#by.delete(sessionId);
  }
}

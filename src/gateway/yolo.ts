import type { PersonId, SessionId } from '../base/ids.ts';
import type { Session } from '../model/session.ts';
import { mayAllowFurther } from './access.ts';
import type { AccessDeps } from './access.ts';

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

  /** The same, unless whoever it was may not wish it any more. */
  async byWhoMay({ id, address }: Pick<Session, 'id' | 'address'>, deps: AccessDeps): Promise<PersonId | undefined> {
    const person = this.by(id);
    return person !== undefined && (await mayAllowFurther({ address, person }, deps)) ? person : undefined;
  }

  switchOn(sessionId: SessionId, by: PersonId): void {
    this.#by.set(sessionId, by);
  }

  switchOff(sessionId: SessionId): void {
    this.#by.delete(sessionId);
  }
}

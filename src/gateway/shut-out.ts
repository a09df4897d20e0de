import type { PersonId } from '../base/ids.ts';
import type { Session } from '../model/session.ts';
import type { SettingsState } from '../model/settings.ts';
import type { Signals, Store } from '../model/store.ts';
import type { TurnRef } from '../model/turn.ts';
import { allowedPeople, isLetIn, isOwnersPlace, localOwner } from './access.ts';
import type { AccessDeps } from './access.ts';

/** Who said what a turn is about. */
export async function whoAdmitted(
  { sessionId, turnId }: TurnRef,
  { turns }: Pick<Store, 'turns'>,
): Promise<PersonId | undefined> {
  const log = await turns.after(sessionId, 0);
  const admitted = log.flatMap(({ turnId: id, entry }) =>
    id === turnId && entry.type === 'turn.admitted' ? [entry.person] : [],
  );
  return admitted[0];
}

/** Whether a turn is of someone whose access was taken back while it waited. */
export async function isShutOut(
  turn: TurnRef,
  { address }: Pick<Session, 'address'>,
  deps: AccessDeps & { readonly store: Pick<Store, 'turns'> },
): Promise<boolean> {
  if (isOwnersPlace(address)) return false;
  // A private chat has the id of the person in it, who need not be looked up in its log.
  if (await isLetIn(`${address.platform}:${address.chat}` as PersonId, deps)) return false;
  const person = await whoAdmitted(turn, deps.store);
  return person !== undefined && !(await isLetIn(person, deps));
}

export interface StopDeps {
  readonly store: Pick<Store, 'turns'>;
  readonly signals: Pick<Signals, 'send'>;
}

/** Stops what someone has running. What waits is stopped when its turn comes. */
export async function stopTurnsOf(person: PersonId, { store, signals }: StopDeps): Promise<void> {
  for (const turn of await store.turns.unsettled()) {
    if ((await whoAdmitted(turn, store)) !== person) continue;
    signals.send(turn.sessionId, { type: 'stop', by: localOwner, turnId: turn.turnId });
  }
}

/** Whom an edit of the settings shut out. Each is remembered until what they have running was stopped. */
export class LostAccess {
  readonly #deps: AccessDeps & StopDeps;
  readonly #people = new Set<PersonId>();
  #seen: SettingsState;

  constructor(deps: AccessDeps & StopDeps) {
    this.#deps = deps;
    this.#seen = deps.settings.current;
  }

  /** Looks at the settings as they are now. An edit that changed nothing here costs nothing. */
  async stopTurns(): Promise<void> {
    this.#noteLosses();
    for (const person of this.#people) {
      // A code may have let them in as well.
      if (!(await isLetIn(person, this.#deps))) await stopTurnsOf(person, this.#deps);
      this.#people.delete(person);
    }
  }

  #noteLosses(): void {
    const { current } = this.#deps.settings;
    if (current === this.#seen) return;
    const allowed = allowedPeople(current.config);
    for (const person of allowedPeople(this.#seen.config)) if (!allowed.has(person)) this.#people.add(person);
    this.#seen = current;
  }
}

import type { PersonId } from '../base/ids.ts';
import type { Session } from '../model/session.ts';
import type { Signals, Store } from '../model/store.ts';
import type { TurnRef } from '../model/turn.ts';
import { isLetIn, isOwnersPlace, localOwner } from './access.ts';
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

/** Stops what someone has running. What waits is stopped when its turn comes. */
export async function stopTurnsOf(
  person: PersonId,
  { store, signals }: { readonly store: Pick<Store, 'turns'>; readonly signals: Pick<Signals, 'send'> },
): Promise<void> {
  for (const turn of await store.turns.unsettled()) {
    if ((await whoAdmitted(turn, store)) !== person) continue;
    signals.send(turn.sessionId, { type: 'stop', by: localOwner, turnId: turn.turnId });
  }
}

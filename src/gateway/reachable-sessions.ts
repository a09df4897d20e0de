import type { PersonId } from '../base/ids.ts';
import { addressKey } from '../model/session.ts';
import type { Address, Session } from '../model/session.ts';
import type { Store } from '../model/store.ts';
import { isOwner, isOwnersPlace, isPrivate, localOwner } from './access.ts';
import type { AccessDeps } from './access.ts';
import type { InboundMessage } from './command-deps.ts';
import { lookUpPeople } from './whose-session.ts';

/** How far someone reaches from where they speak: to every session, to those of the same chat, or also to all that is theirs. */
export type Reach =
  | { readonly type: 'all' | 'chat' }
  /** The ids under which they are known: that of the chat, and that of the machine where it is theirs. */
  | { readonly type: 'own'; readonly ids: ReadonlySet<PersonId> };

type Speaker = Pick<InboundMessage, 'address' | 'person'>;

export interface ReachDeps extends AccessDeps {
  readonly store: Pick<Store, 'people' | 'sessions'>;
}

const mostSearched = 200;

/**
 * The owner at a terminal reaches every session. Elsewhere an owner reaches what is their own only from where they are alone: what
 * was said there is for no guest and for no group.
 */
export async function findReach(speaker: Speaker, deps: AccessDeps): Promise<Reach> {
  if (speaker.address.platform === 'terminal') return { type: 'all' };
  if (!isAlone(speaker) || !(await isOwner(speaker, deps))) return { type: 'chat' };
  const { ownAccount = localOwner } = await lookUpPeople(deps);
  const isHere = isOwnersPlace(speaker.address) || speaker.person === ownAccount;
  return { type: 'own', ids: new Set([speaker.person, ...(isHere ? [localOwner, ownAccount] : [])]) };
}

/** Latest first; the same for a list and for whoever names a number of it. */
export async function reachableSessions(speaker: Speaker, deps: ReachDeps): Promise<readonly Session[]> {
  const { sessions } = deps.store;
  const reach = await findReach(speaker, deps);
  const some = { limit: mostSearched, stage: 'begun' } as const;
  const found = await sessions.list(reach.type === 'all' ? some : { ...some, chat: speaker.address });
  const own = reach.type === 'own' ? [...reach.ids].map((person) => sessions.list({ ...some, person })) : [];
  const byId = new Map([found, ...(await Promise.all(own))].flat().map((session) => [session.id, session]));
  const reachable = [...byId.values()].filter((session) => isReachable(session, speaker, reach));
  return reachable.toSorted((one, other) => other.activeAt - one.activeAt);
}

/**
 * In a chat it is the sessions of the same place, and in a private chat those of its other threads: what was said in private
 * never turns up in a group. Pure.
 */
export function isReachable({ address, person }: Session, speaker: Speaker, reach: Reach): boolean {
  if (reach.type === 'all' || addressKey(address) === addressKey(speaker.address)) return true;
  if (reach.type === 'own' && reach.ids.has(person) && isAlone({ address, person })) return true;
  return isSameChat(address, speaker.address) && isPrivate(speaker);
}

function isAlone(who: Speaker): boolean {
  return isOwnersPlace(who.address) || isPrivate(who);
}

function isSameChat(one: Address, other: Address): boolean {
  return addressKey({ ...one, thread: '' }) === addressKey({ ...other, thread: '' });
}

import { addressKey } from '../model/session.ts';
import type { Address, Session } from '../model/session.ts';
import type { Store } from '../model/store.ts';
import { isOwner, isOwnersPlace, isPrivate } from './access.ts';
import type { AccessDeps } from './access.ts';
import type { InboundMessage } from './command-deps.ts';

/**
 * How far someone reaches from where they speak: to every session, to those of the same chat, or also to those of their own
 * that are at a terminal now.
 */
export type Reach = 'all' | 'chat' | 'chat-and-terminals';

type Speaker = Pick<InboundMessage, 'address' | 'person'>;

export interface ReachDeps extends AccessDeps {
  readonly store: Pick<Store, 'people' | 'sessions'>;
}

const mostSearched = 200;

/**
 * The owner at a terminal reaches every session. What a terminal has comes back only to where its owner is alone: what was
 * said there is for no guest and for no group.
 */
export async function findReach(speaker: Speaker, deps: AccessDeps): Promise<Reach> {
  if (speaker.address.platform === 'terminal') return 'all';
  const isAlone = isOwnersPlace(speaker.address) || isPrivate(speaker);
  return isAlone && (await isOwner(speaker, deps)) ? 'chat-and-terminals' : 'chat';
}

/** Latest first; the same for a list and for whoever names a number of it. */
export async function reachableSessions(speaker: Speaker, deps: ReachDeps): Promise<readonly Session[]> {
  const { sessions } = deps.store;
  const reach = await findReach(speaker, deps);
  const some = { limit: mostSearched, stage: 'begun' } as const;
  const here = await sessions.list(reach === 'all' ? some : { ...some, chat: speaker.address });
  const own = { ...some, platform: 'terminal', person: speaker.person };
  const away = reach === 'chat-and-terminals' ? await sessions.list(own) : [];
  const found = [...here, ...away].filter((session) => isReachable(session, speaker, reach));
  return found.toSorted((one, other) => other.activeAt - one.activeAt);
}

/**
 * In a chat it is the sessions of the same place, and in a private chat those of its other threads: what was said in private
 * never turns up in a group. Pure.
 */
export function isReachable({ address, person }: Session, speaker: Speaker, reach: Reach): boolean {
  if (reach === 'all' || addressKey(address) === addressKey(speaker.address)) return true;
  if (reach === 'chat-and-terminals' && address.platform === 'terminal') return person === speaker.person;
  return isSameChat(address, speaker.address) && isPrivate(speaker);
}

function isSameChat(one: Address, other: Address): boolean {
  return addressKey({ ...one, thread: '' }) === addressKey({ ...other, thread: '' });
}

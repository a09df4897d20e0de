import type { PersonId } from '../base/ids.ts';
import { webchatPlatform } from '../model/channel.ts';
import type { Inbound } from '../model/channel.ts';
import type { Config } from '../model/config.ts';
import type { Address } from '../model/session.ts';
import type { Settings } from '../model/settings.ts';
import type { Store } from '../model/store.ts';

/** Whoever sits at a terminal of this machine: the user whose home it is. */
export const localOwner = 'owner' as PersonId;

/** Whether someone may use the program, and what a stranger hears. */
export type Access =
  | { readonly type: 'granted' }
  | { readonly type: 'denied'; readonly answer: 'pairing-code' | 'silence' };

const ownersPlaces: ReadonlySet<string> = new Set(['terminal', webchatPlatform]);

/** Where nobody but the owner of the home can be. */
export function isOwnersPlace({ platform }: Pick<Address, 'platform'>): boolean {
  return ownersPlaces.has(platform);
}

/**
 * Who may speak, press a button or command. Pure. Ids that nobody can choose decide, never names. Whoever sits at the
 * terminal owns the home and everything in it, and only a secret that was handed out there opens the page.
 */
export function decideAccess(inbound: Inbound, standing: 'let-in' | 'stranger'): Access {
  if (isOwnersPlace(inbound.address) || standing === 'let-in') return { type: 'granted' };
  const isAsking = inbound.type === 'message' && isPrivate(inbound);
  return { type: 'denied', answer: isAsking ? 'pairing-code' : 'silence' };
}

/** A private chat has the id of the person in it; no group ever has. */
export function isPrivate({ address, person }: Pick<Inbound, 'address' | 'person'>): boolean {
  return person === `${address.platform}:${address.chat}`;
}

/** Those whom the settings let in; nobody where they name nobody. Pure. */
export function allowedPeople({ telegram }: Config): ReadonlySet<PersonId> {
  // Who writes in the name of a group or channel has its number, which is below zero.
  return new Set(telegram.allow.map((id) => `telegram:${id < 0 ? 'chat:' : ''}${id}` as PersonId));
}

export interface AccessDeps {
  readonly settings: Pick<Settings, 'current'>;
  readonly store: Pick<Store, 'people'>;
}

/** Whether a chat that was chosen to be told things may still be: whoever chose it can have lost their access since. */
export async function mayBeTold(
  { address, person }: Pick<Inbound, 'address' | 'person'>,
  deps: AccessDeps,
): Promise<boolean> {
  return isOwnersPlace(address) || (await isLetIn(person, deps));
}

/** Whether the settings or a code let someone in. */
export async function isLetIn(person: PersonId, { settings, store }: AccessDeps): Promise<boolean> {
  return allowedPeople(settings.current.config).has(person) || (await store.people.has(person));
}

/**
 * Whether someone may do what concerns the whole program: whoever sits at the terminal or is logged in at the page, owners,
 * and those whom the settings name, since only an owner writes those. A guest may talk, and no more than that.
 */
export async function isOwner(
  { address, person }: Pick<Inbound, 'address' | 'person'>,
  { settings, store }: AccessDeps,
): Promise<boolean> {
  if (isOwnersPlace(address) || allowedPeople(settings.current.config).has(person)) return true;
  return (await store.people.list()).some((each) => each.person === person && each.role === 'owner');
}

/** Whether nobody but an owner reads what is said here: no group, whoever speaks in it. */
export async function isOwnerAlone(who: Pick<Inbound, 'address' | 'person'>, deps: AccessDeps): Promise<boolean> {
  return isOwnersPlace(who.address) || (isPrivate(who) && (await isOwner(who, deps)));
}

/** Whether a conversation is one person's alone: a private chat, or what a member of a group has there to themselves. */
export function isOwnConversation({ address, person }: Pick<Inbound, 'address' | 'person'>): boolean {
  return address.member === person || isPrivate({ address, person });
}

/** Whether someone may allow more than one act in a conversation: where others share it, that is for an owner. */
export async function mayAllowFurther(who: Pick<Inbound, 'address' | 'person'>, deps: AccessDeps): Promise<boolean> {
  return isOwnConversation(who) || (await isOwner(who, deps));
}

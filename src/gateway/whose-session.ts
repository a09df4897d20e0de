import type { PersonId } from '../base/ids.ts';
import type { Session } from '../model/session.ts';
import { allowedPeople, isOwnConversation, isOwnersPlace } from './access.ts';
import type { AccessDeps } from './access.ts';

/**
 * The account that belongs to whoever sits at the terminal: the one that set the bot up, or else the one that the settings
 * name. Where there are several, nobody knows which of them it is.
 */
export async function findOwnAccount({ settings, store }: AccessDeps): Promise<PersonId | undefined> {
  const owners = (await store.people.list()).filter(({ role }) => role === 'owner').map(({ person }) => person);
  const [only, ...others] = owners.length > 0 ? owners : allowedPeople(settings.current.config);
  return others.length === 0 ? only : undefined;
}

/** Whose a conversation is, where it is not in the hands of its owner alone; undefined where it is. Pure. */
export function describeWhose({ address, person }: Session, ownAccount: PersonId | undefined): string | undefined {
  if (isOwnersPlace(address)) return undefined;
  if (!isOwnConversation({ address, person })) return 'shared by a group';
  return person === ownAccount ? undefined : `of ${person}`;
}

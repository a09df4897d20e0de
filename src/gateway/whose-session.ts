import type { PersonId } from '../base/ids.ts';
import type { Session } from '../model/session.ts';
import { allowedPeople, isOwnConversation, isOwnersPlace } from './access.ts';
import type { AccessDeps } from './access.ts';

/** What is known of those whose conversations there are. */
export interface KnownPeople {
  /**
   * The account that belongs to whoever sits at the terminal: the only one that owns the bot, by a link or by the settings.
   * Where there are several, nobody knows which of them it is.
   */
  readonly ownAccount: PersonId | undefined;
  readonly names: ReadonlyMap<PersonId, string | undefined>;
}

export async function lookUpPeople({ settings, store }: AccessDeps): Promise<KnownPeople> {
  const paired = await store.people.list();
  const linked = paired.filter(({ role }) => role === 'owner').map(({ person }) => person);
  const [only, ...others] = new Set([...linked, ...allowedPeople(settings.current.config)]);
  // One that the settings alone name may be a friend's, where whoever wrote them has let themselves in by a code.
  const isKnown = others.length === 0 && (linked.length > 0 || paired.length === 0);
  const ownAccount = isKnown ? only : undefined;
  return { ownAccount, names: new Map(paired.map(({ person, name }) => [person, name])) };
}

/** Whose a conversation is, where it is not in the hands of its owner alone; undefined where it is. Pure. */
export function describeWhose({ address, person }: Session, { ownAccount, names }: KnownPeople): string | undefined {
  if (isOwnersPlace(address)) return undefined;
  if (!isOwnConversation({ address, person })) return 'shared by a group';
  return person === ownAccount ? undefined : `of ${withName(person, names.get(person))}`;
}

/** The id, and behind it the name that its bearer chose, and may have from somebody else. Pure. */
export function withName(person: PersonId, name: string | undefined): string {
  return name === undefined ? person : `${person} “${name}”`;
}

import type { PersonId } from '../../base/ids.ts';
import type { Address } from '../../model/session.ts';
import { platform } from './read-update.ts';

/** Where a bot writes to someone alone: a private chat has the number of the person in it. Pure. */
export function chatWith(person: PersonId, account: string): Address | undefined {
  const chat = /^telegram:(\d+)$/.exec(person)?.[1];
  return chat === undefined ? undefined : { platform, account, chat, thread: '' };
}

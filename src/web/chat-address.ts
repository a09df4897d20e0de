import type { PersonId } from '../base/ids.ts';
import { webchatPlatform } from '../model/channel.ts';
import type { Address } from '../model/session.ts';

/** Whoever holds a login or the token: there is one owner of a home, at the terminal as in the browser. */
export const owner = 'owner' as PersonId;

const chatName = /^[a-z0-9_-]{1,64}$/;

/** The address of a chat in the browser; undefined for what cannot be the name of one. */
export function chatAddress(chat: string): Address | undefined {
  return chatName.test(chat) ? { platform: webchatPlatform, account: 'local', chat, thread: '' } : undefined;
}

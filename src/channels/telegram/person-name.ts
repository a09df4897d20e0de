import type { User } from 'grammy/types';
import { removeInvisible } from '../../base/remove-invisible.ts';

const longest = 64;

/**
 * What someone calls themselves, on one short line: `Ada Lovelace @ada`. Both names are of their own choosing, and are only
 * ever shown beside the number that decides. Undefined where nothing of them can be seen. Pure.
 */
export function personName({ first_name: first, last_name: last = '', username = '' }: User): string | undefined {
  const handle = username === '' ? '' : `@${visible(username)}`;
  // Telegram gives the name behind the @ to one person alone: nobody may write one into the other name.
  const name = visible(`${first} ${last}`.replaceAll(/[@\uFE6B\uFF20]/g, ''));
  const room = handle === '' ? longest : longest - handle.length - 1;
  const shown = [shorten(name, room), handle].filter((part) => part !== '').join(' ');
  return shown === '' ? undefined : shown;
}

function visible(name: string): string {
  return removeInvisible(name.replaceAll(/\s+/g, ' ')).text.replaceAll(/ {2,}/g, ' ').trim();
}

function shorten(name: string, length: number): string {
  if (name.length <= length) return name;
  return `${name
    .slice(0, length - 1)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()}…`;
}

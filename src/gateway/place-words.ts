import { webchatPlatform } from '../model/channel.ts';
import type { Address } from '../model/session.ts';

const places: Readonly<Record<string, string>> = {
  terminal: 'at a terminal',
  telegram: 'on Telegram',
  [webchatPlatform]: 'on the page',
};

/** Where a conversation takes place, as people say it. */
export function placeWords({ platform }: Pick<Address, 'platform'>): string {
  return places[platform] ?? `on ${platform}`;
}

import type { Channel } from '../model/channel.ts';
import type { AppParts } from './parts.ts';

/** The channels of the settings. Throws `bad-config` where there are none. */
export async function openChannels(parts: AppParts): Promise<readonly Channel[]> {
  const { openTelegramBot } = await import('./telegram.ts');
  return [await openTelegramBot(parts)];
}

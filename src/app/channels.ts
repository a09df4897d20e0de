import { createWebchatChannel } from '../channels/webchat.ts';
import type { Channel, WebchatPort } from '../model/channel.ts';
import type { AppParts } from './parts.ts';

/** The channels of the settings, with the page if there is one. Throws `bad-config` where there are none. */
export async function openChannels(
  parts: AppParts,
  page: WebchatPort | undefined,
  report: (line: string) => void,
): Promise<readonly Channel[]> {
  const { openAwaitedBot, openTelegramBot } = await import('./telegram.ts');
  // A bot that is all there is must be there; beside the page it may come later.
  if (page === undefined) return [await openTelegramBot(parts, report)];
  return [await openAwaitedBot(parts, report), createWebchatChannel(page)];
}

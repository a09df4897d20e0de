import { createWebchatChannel } from '../channels/webchat.ts';
import type { Channel, WebchatPort } from '../model/channel.ts';
import type { AppParts } from './parts.ts';

/** The channels of the settings, with the page if there is one. Throws `bad-config` where there are none. */
export async function openChannels(
  parts: AppParts,
  page: WebchatPort | undefined,
  report: (line: string) => void,
): Promise<readonly Channel[]> {
  const { telegram } = parts.settings.current.config;
  const pages = page ? [createWebchatChannel(page)] : [];
  if (page && parts.secrets.get(telegram.tokenEnv) === undefined) return pages;
  const { openTelegramBot } = await import('./telegram.ts');
  return [await openTelegramBot(parts, report), ...pages];
}

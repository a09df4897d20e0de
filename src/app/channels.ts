import type { PersonId } from '../base/ids.ts';
import type { Channel } from '../model/channel.ts';
import type { AppParts } from './parts.ts';

/** The channels of the settings. Throws `bad-config` where there are none. */
export async function openChannels({ env, home, secrets, settings, ...parts }: AppParts): Promise<readonly Channel[]> {
  const { telegram } = settings.current.config;
  const token = secrets.get(telegram.tokenEnv);
  const { openTelegram } = await import('../channels/telegram/open-telegram.ts');
  const { commandTable: commands } = await import('../gateway/commands.ts');
  const { isLetIn } = await import('../gateway/access.ts');
  const accepts = (person: PersonId): Promise<boolean> => isLetIn(person, { ...parts, settings });
  const setup = { token, envFile: home.envFile, homeFolder: env['HOME'] ?? '/', commands, accepts };
  return [openTelegram({ ...parts, ...setup, settings: telegram })];
}

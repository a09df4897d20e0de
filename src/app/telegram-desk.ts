import type { Clock } from '../base/clock.ts';
import type { TelegramDesk } from '../cli/app-port.ts';
import { loadSecrets } from '../store/home/env-file.ts';
import { openHome } from '../store/home/home-folder.ts';
import { LiveSettings } from '../store/home/live-settings.ts';
import { openWayToTelegram } from './telegram.ts';

interface Around {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

const longestCheckMs = 30_000;

/** The bot's token, without opening the store: it can be looked after while the program runs elsewhere. */
export async function openTelegramDesk({ env, clock }: Around): Promise<TelegramDesk> {
  const home = await openHome(env);
  const secrets = await loadSecrets(home, env);
  const { telegram } = (await LiveSettings.open(home)).current.config;
  const { tokenEnv, apiRoot } = telegram;
  const present = secrets.get(tokenEnv);
  const openAgent = (): ReturnType<typeof openWayToTelegram> => openWayToTelegram(telegram, secrets);
  return {
    hasToken: present !== undefined,
    botId: present?.split(':')[0],
    async check(token = present ?? '') {
      const { checkTelegramToken } = await import('../channels/telegram/check-token.ts');
      const options = { token, ...(apiRoot !== undefined && { apiRoot }), openAgent, clock };
      return await checkTelegramToken(options, AbortSignal.timeout(longestCheckMs));
    },
    async save(token) {
      const { changeEnvFile } = await import('../store/home/change-env-file.ts');
      await changeEnvFile(home.envFile, tokenEnv, token.trim());
      const fromOutside = env[tokenEnv] ?? '';
      const isShadowed = fromOutside !== '' && fromOutside !== token.trim();
      return { path: home.envFile, shadowedBy: isShadowed ? tokenEnv : undefined };
    },
  };
}

import type { Agent } from 'node:http';
import { resolve } from 'node:path';
import { AppError } from '../../base/errors.ts';
import type { Channel } from '../../model/channel.ts';
import type { TelegramSettings } from '../../model/config.ts';
import type { AttachmentPolicy } from './fetch-attachments.ts';
import { createTelegramChannel } from './telegram-channel.ts';
import type { TelegramOptions } from './telegram-channel.ts';

export interface TelegramSetup extends Pick<TelegramOptions, 'clock' | 'log'> {
  readonly token: string | undefined;
  /** Where a token is looked for. */
  readonly envFile: string;
  readonly settings: TelegramSettings;
  /** The user's home folder. */
  readonly homeFolder: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  /** Whose pictures and files are fetched, and where they go. */
  readonly attachments: AttachmentPolicy;
  readonly openAgent: () => Promise<Agent>;
}

/** The bot as the settings describe it. Throws `bad-config` where there is no token for it. */
export function openTelegram(setup: TelegramSetup): Channel {
  const { token, envFile, settings, homeFolder, commands, attachments, openAgent, clock, log } = setup;
  const { tokenEnv, groups, workdir = '.', apiRoot } = settings;
  if (token === undefined) {
    const advice = `put ${tokenEnv}=… into ${envFile}; @BotFather on Telegram hands out tokens`;
    throw new AppError('bad-config', `no channel is set up: ${advice}`);
  }
  return createTelegramChannel({
    token,
    ...(apiRoot !== undefined && { apiRoot }),
    workdir: resolve(homeFolder, workdir.replace(/^~(?=\/|$)/, homeFolder)),
    groups,
    commands: commands.map(({ name, summary }) => ({ name, description: summary })),
    attachments,
    openAgent,
    clock,
    log,
  });
}

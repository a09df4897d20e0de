import type { Agent } from 'node:http';
import { resolve } from 'node:path';
import { AppError } from '../../base/errors.ts';
import type { Channel } from '../../model/channel.ts';
import type { TelegramSettings } from '../../model/config.ts';
import type { AttachmentPolicy } from './fetch-attachments.ts';
import { createTelegramChannel } from './telegram-channel.ts';
import type { TelegramOptions } from './telegram-channel.ts';

export interface TelegramSetup extends Pick<
  TelegramOptions,
  'findToken' | 'memberSessions' | 'live' | 'clock' | 'log'
> {
  readonly token: string | undefined;
  /** Where a token is looked for. */
  readonly envFile: string;
  readonly settings: TelegramSettings;
  /** The user's home folder. */
  readonly homeFolder: string;
  readonly commands: readonly {
    readonly name: string;
    readonly aliases: readonly string[];
    readonly summary: string;
  }[];
  /** Whose pictures and files are fetched, and where they go. */
  readonly attachments: AttachmentPolicy;
  readonly openAgent: () => Promise<Agent>;
  /** The secret of the webhook; undefined where the settings name a variable for it that is not there. */
  readonly webhookSecret: string | undefined;
  readonly report: (line: string) => void;
}

/** The bot as the settings describe it. Throws `bad-config` where there is no token for it. */
export function openTelegram(setup: TelegramSetup): Channel {
  const { token, envFile, settings, homeFolder, commands, attachments, openAgent, report, clock, log } = setup;
  const { memberSessions, findToken, live } = setup;
  const { tokenEnv, groups, workdir = '.', apiRoot } = settings;
  if (token === undefined) {
    const page = 'web.enabled is false in the settings, so that there is no page either';
    const advice = `put ${tokenEnv}=… into ${envFile}; @BotFather on Telegram hands out tokens; ${page}`;
    throw new AppError('bad-config', `no channel is set up: ${advice}`);
  }
  return createTelegramChannel({
    token,
    ...(findToken && { findToken }),
    ...(apiRoot !== undefined && { apiRoot }),
    workdir: resolve(homeFolder, workdir.replace(/^~(?=\/|$)/, homeFolder)),
    groups,
    ...(memberSessions && { memberSessions }),
    commands: commands.map(({ name, aliases, summary }) => ({ name, aliases, description: summary })),
    attachments,
    openAgent,
    ...(live && { live }),
    ...decideWebhook(setup),
    report,
    clock,
    log,
  });
}

/** Telegram takes these signs in a secret, and no others. */
const secretShape = /^[\w-]{1,256}$/;

function decideWebhook({ settings, webhookSecret: secret }: TelegramSetup): Pick<TelegramOptions, 'webhook'> {
  const { webhook } = settings;
  if (webhook === undefined) return {};
  const { url, host, port, secretEnv } = webhook;
  if (!url.startsWith('https://') || !URL.canParse(url)) {
    throw new AppError(
      'bad-config',
      'telegram.webhook.url is not an address that Telegram can bring messages to: one begins with https://',
    );
  }
  if (secret === undefined || !secretShape.test(secret)) {
    throw new AppError(
      'bad-config',
      `there is no secret in ${secretEnv} that Telegram takes: it has letters, digits, _ and - alone`,
    );
  }
  return { webhook: { url, secret, listen: { host, port } } };
}

import type { Agent } from 'node:http';
import { AppError } from '../base/errors.ts';
import type { PersonId } from '../base/ids.ts';
import type { AttachmentPolicy } from '../channels/telegram/fetch-attachments.ts';
import type { TelegramSetup } from '../channels/telegram/open-telegram.ts';
import type { Channel } from '../model/channel.ts';
import type { TelegramSettings } from '../model/config.ts';
import type { Settings } from '../model/settings.ts';
import type { Recording, Transcribe, Transcript } from '../model/speech.ts';
import { lookAtSecrets } from '../store/home/env-file.ts';
import type { Secrets } from '../store/home/env-file.ts';
import { stampOf } from '../store/home/file-stamp.ts';
import { FileLiveMessages } from '../store/home/live-messages.ts';
import type { AppParts } from './parts.ts';

/** The Telegram bot of the settings, which is there or will be. Throws `bad-config` for a token that cannot be one. */
export async function openAwaitedBot(parts: AppParts, report: (line: string) => void): Promise<Channel> {
  const { AwaitedBot } = await import('../channels/telegram/awaited-bot.ts');
  const { secrets, settings, clock, log } = parts;
  const findToken = createTokenFinder(parts);
  const open = (token: string | undefined): Promise<Channel> => openBot({ token, findToken, report }, parts);
  const token = secrets.get(settings.current.config.telegram.tokenEnv);
  const first = token === undefined ? undefined : { token, bot: await open(token) };
  return new AwaitedBot({ first, open, findToken, report, clock, log });
}

/** The Telegram bot of the settings. Throws `bad-config` where there is no token for it. */
export async function openTelegramBot(parts: AppParts, report: (line: string) => void): Promise<Channel> {
  const token = parts.secrets.get(parts.settings.current.config.telegram.tokenEnv);
  return await openBot({ token, findToken: createTokenFinder(parts), report }, parts);
}

type BotSetup = Pick<TelegramSetup, 'token' | 'report'> & { readonly findToken: () => string | undefined };

async function openBot({ token, findToken, report }: BotSetup, parts: AppParts): Promise<Channel> {
  const { env, home, secrets, settings, clock, log } = parts;
  const { telegram, memberSessions } = settings.current.config;
  const { openTelegram } = await import('../channels/telegram/open-telegram.ts');
  const { commandTable: commands } = await import('../gateway/commands.ts');
  return openTelegram({
    token,
    findToken,
    envFile: home.envFile,
    homeFolder: env['HOME'] ?? '/',
    commands,
    attachments: await decideAttachments(parts),
    openAgent: () => openWayToTelegram(telegram, secrets),
    webhookSecret: await findWebhookSecret(telegram, secrets),
    report,
    settings: telegram,
    memberSessions,
    live: new FileLiveMessages(home.liveMessagesFile, log),
    clock,
    log,
  });
}

/** The token as the settings and `.env` have it now. A file that has not changed costs no more than a look at its date. */
function createTokenFinder({ env, home, secrets, settings }: AppParts): () => string | undefined {
  let stamp = stampOf(home.envFile);
  let latest: Pick<Secrets, 'get'> = secrets;
  return () => {
    const now = stampOf(home.envFile);
    const isChanged = now !== stamp;
    if (isChanged) latest = lookAtSecrets(home, env);
    stamp = now;
    const token = latest.get(settings.current.config.telegram.tokenEnv);
    if (isChanged && token !== undefined) secrets.learn(token);
    return token;
  };
}

/** A new one at every start will do, since Telegram is told of it at every start. */
async function findWebhookSecret({ webhook }: TelegramSettings, secrets: Secrets): Promise<string | undefined> {
  if (webhook?.secretEnv !== undefined) return secrets.get(webhook.secretEnv);
  return (await import('node:crypto')).randomBytes(32).toString('hex');
}

/** Files of people with access are kept with the session that they were sent to. */
async function decideAttachments(parts: AppParts): Promise<AttachmentPolicy> {
  const { settings, secrets, store, files } = parts;
  const { isLetIn } = await import('../gateway/access.ts');
  return {
    accepts: (person: PersonId) => isLetIn(person, parts),
    async save({ address, person, workdir, name, read }) {
      const session = await store.sessions.at({ address, person, workdir });
      return await files.keep(session.id, name, read());
    },
    transcribe: () => chooseTranscriber(settings, secrets),
  };
}

function chooseTranscriber(settings: Pick<Settings, 'current'>, secrets: Secrets): Transcribe | undefined {
  const { baseUrl, model, keyEnv } = settings.current.config.speech;
  if (baseUrl === undefined) return undefined;
  return async (recording: Recording, signal: AbortSignal): Promise<Transcript> => {
    const key = keyEnv === undefined ? undefined : secrets.get(keyEnv);
    if (keyEnv !== undefined && key === undefined) return { type: 'failed', reason: `there is no key in ${keyEnv}` };
    const { transcribeAudio } = await import('../providers/transcribe-audio.ts');
    return await transcribeAudio(recording, { baseUrl, model, key }, (name) => secrets.get(name), signal);
  };
}

const telegramAddress = 'https://api.telegram.org';

/** By the proxy of the settings, or else by that of the environment. */
export async function openWayToTelegram({ apiRoot, proxy }: TelegramSettings, secrets: Secrets): Promise<Agent> {
  const { openAgent } = await import('../providers/http-agent.ts');
  const environment = (name: string): string | undefined => secrets.get(name);
  const address = apiRoot ?? telegramAddress;
  if (proxy === undefined) return openAgent(address, environment);
  if (!/^https?:\/\//.test(proxy) || !URL.canParse(proxy)) {
    throw new AppError(
      'bad-config',
      'telegram.proxy cannot be used: the address of a proxy begins with http:// or https://',
    );
  }
  // It was named for Telegram alone, so that no exception for other hosts counts.
  return openAgent(address, (name) =>
    /^(?:https?|no|all)_proxy$/i.test(name) ? proxyOnly(name, proxy) : environment(name),
  );
}

function proxyOnly(name: string, proxy: string): string | undefined {
  return /^https?_proxy$/i.test(name) ? proxy : undefined;
}

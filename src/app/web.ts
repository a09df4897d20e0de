import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../base/errors.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { closeToOthers } from '../store/private-folder.ts';
import type { ChatHub } from '../web/chat-hub.ts';
import type { WebServer } from '../web/web-server.ts';
import { chatFolder } from './chat-folder.ts';
import type { AppParts } from './parts.ts';

const tokenName = 'web-token';
const tokenShape = /^[A-Za-z0-9_-]{43}$/;

/** What the page and its channel share; undefined where the settings switch the page off. */
export async function openChatHub({ settings, store, clock }: AppParts): Promise<ChatHub | undefined> {
  if (!settings.current.config.web.isEnabled) return undefined;
  const { ChatHub } = await import('../web/chat-hub.ts');
  return new ChatHub({ outbox: store.outbox, clock });
}

/** Serves the page, as the settings describe it. */
export async function openWeb(
  parts: AppParts,
  hub: ChatHub,
  gateway: Pick<Gateway, 'takeIn' | 'follow' | 'watch'>,
  report: (line: string) => void,
): Promise<WebServer> {
  const { env, home, store, clock, log } = parts;
  const { webLogins } = store;
  const settings = parts.settings.current.config.web;
  const { openWebServer } = await import('../web/web-server.ts');
  const workdir = chatFolder(settings.workdir, env['HOME'] ?? '/');
  const token = await readToken(join(home.path, tokenName));
  return await openWebServer({ settings, hub, gateway, store, webLogins, token, workdir, clock, log, report });
}

/** The token for programs, made on the first start; a new one where others could read it, or it is none. */
async function readToken(path: string): Promise<string> {
  const kept = await readFile(path, 'utf8').catch((thrown: unknown) => {
    if (systemErrorCode(thrown) === 'ENOENT') return '';
    throw thrown;
  });
  if (tokenShape.test(kept.trim()) && closeToOthers(path) === 'was-closed') return kept.trim();
  const token = randomBytes(32).toString('base64url');
  const { writeAtomically } = await import('../store/home/write-atomically.ts');
  await writeAtomically(path, `${token}\n`);
  return token;
}

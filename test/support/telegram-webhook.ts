import { setImmediate } from 'node:timers/promises';
import type { TelegramServer } from './telegram-server.ts';

/** Brings one update as Telegram would, and says what was answered; undefined where nobody took the connection. */
export async function bring(address: string, update: object, secret: string | undefined): Promise<number | undefined> {
  const headers = {
    'content-type': 'application/json',
    ...(secret !== undefined && { 'x-telegram-bot-api-secret-token': secret }),
  };
  try {
    const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(update) });
    return response.status;
  } catch {
    return undefined;
  }
}

/** Brings all updates, in order and each until it is accepted, with the secret that the bot has set. */
export async function bringAll(server: TelegramServer, address: string): Promise<void> {
  for (const update of server.updates.pending) {
    while ((await bring(address, update, secretOf(server))) !== 200) await setImmediate();
    server.updates.accept(update);
  }
}

export function secretOf(server: TelegramServer): string | undefined {
  const secret = server.callsOf('setWebhook').at(-1)?.['secret_token'];
  return typeof secret === 'string' ? secret : undefined;
}

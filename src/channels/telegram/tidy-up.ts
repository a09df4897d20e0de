import type { Clock } from '../../base/clock.ts';
import { sleepUnless } from '../../base/sleep-unless.ts';
import type { LiveMessage, LiveMessages } from '../../model/live-messages.ts';
import type { BotApi, CallResult } from './bot-api.ts';
import { isTokenRefused } from './insist.ts';

export interface TidyDeps {
  readonly bot: BotApi;
  readonly live: LiveMessages;
  readonly clock: Clock;
}

const mostTries = 5;
const pauseMs = 5000;
const outdated = '(It was shown here what was being done when the program ended.)';

/**
 * Takes off what earlier runs left in chats: a preview goes, and a question loses its buttons. It never rejects; what cannot
 * be done now is left to the next start.
 */
export async function tidyUp(deps: TidyDeps, signal: AbortSignal): Promise<void> {
  for (const message of deps.live.left) {
    if (message.account === deps.bot.botId) await tidyOne(message, deps, signal);
  }
}

async function tidyOne(message: LiveMessage, deps: TidyDeps, signal: AbortSignal): Promise<void> {
  for (let tries = 0; tries < mostTries && !signal.aborted; tries += 1) {
    const result = await takeOff(message, deps.bot, signal);
    if (isDealtWith(result)) return void (await deps.live.remove([message]));
    await sleepUnless(deps.clock, result.type === 'flooded' ? result.afterMs : pauseMs, signal);
  }
}

/** Whether nothing is left to be done about a message: it was done, or Telegram will not have it done. */
export function isDealtWith(result: CallResult<unknown>): boolean {
  return result.type === 'done' || (result.type === 'refused' && !isTokenRefused(result));
}

async function takeOff(message: LiveMessage, bot: BotApi, signal: AbortSignal): Promise<CallResult<unknown>> {
  const { type, chat, id } = message;
  if (type === 'question') return await bot.act((api, stop) => api.editMessageReplyMarkup(chat, id, {}, stop), signal);
  const deleted = await bot.act((api, stop) => api.deleteMessage(chat, id, stop), signal);
  if (deleted.type !== 'refused') return deleted;
  // After two days Telegram deletes nothing any more, and still changes it.
  return await bot.act((api, stop) => api.editMessageText(chat, id, outdated, {}, stop), signal);
}

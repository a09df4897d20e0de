import type { Clock } from '../../base/clock.ts';
import type { Address } from '../../model/session.ts';
import type { BotApi } from './bot-api.ts';

// Telegram shows it for five seconds.
const refreshMs = 4000;

/** Shows in a chat that something is being written, until the signal aborts. It never rejects. */
export async function keepTyping(
  address: Address,
  { bot, clock }: { readonly bot: BotApi; readonly clock: Clock },
  signal: AbortSignal,
): Promise<void> {
  const thread = address.thread === '' ? {} : { message_thread_id: Number(address.thread) };
  while (!signal.aborted) {
    const result = await bot.call((api, stop) => api.sendChatAction(address.chat, 'typing', thread, stop), signal);
    if (result.type === 'refused') return;
    const waitMs = result.type === 'flooded' ? Math.max(result.afterMs, refreshMs) : refreshMs;
    const hasWaited = await clock.sleep(waitMs, signal).then(
      () => true,
      () => false,
    );
    if (!hasWaited) return;
  }
}

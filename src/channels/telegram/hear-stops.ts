import type { Update } from 'grammy/types';
import type { Clock } from '../../base/clock.ts';
import type { BotApi } from './bot-api.ts';
import { updateTypes } from './poll-updates.ts';

export interface StopDeps {
  readonly bot: BotApi;
  readonly clock: Clock;
}

const lookMs = 1000;
const stopCommand = /^\/stop\b/i;

/**
 * While something is fetched that belongs to an update, what is behind it waits. A stop does not: it is looked for, and handed
 * on ahead of its turn. It comes once more in its turn, and is known by its key then.
 */
export async function* hearStopsDuring(
  work: Promise<unknown>,
  { update_id: offset }: Update,
  { bot, clock }: StopDeps,
  signal: AbortSignal,
): AsyncGenerator<Update, void> {
  const heard = new Set<number>();
  const over = new AbortController();
  const end = (): void => over.abort();
  work.then(end, end);
  const either = AbortSignal.any([over.signal, signal]);
  while (await hasPassed(clock.sleep(lookMs, either))) {
    // From the update at hand on, so that Telegram keeps all of them.
    const request = { offset, timeout: 0, allowed_updates: updateTypes };
    const found = await bot.call((api, stop) => api.getUpdates(request, stop), either);
    if (found.type !== 'done') continue;
    for (const update of found.value.filter(isStop)) {
      if (update.update_id === offset || heard.has(update.update_id)) continue;
      heard.add(update.update_id);
      yield update;
    }
  }
}

export function isStop({ message }: Update): boolean {
  return stopCommand.test(message?.text ?? '');
}

async function hasPassed(sleep: Promise<void>): Promise<boolean> {
  return await sleep.then(
    () => true,
    () => false,
  );
}

import type { Update } from 'grammy/types';
import { groupAlbums } from './album.ts';
import type { BotApi, CallResult } from './bot-api.ts';
import { insist, isConflict } from './insist.ts';
import type { Insistence } from './insist.ts';
import { HandledUpdates } from './handled-updates.ts';

export interface PollDeps extends Insistence {
  readonly bot: BotApi;
  /** Tells whoever runs the program. */
  readonly report?: (line: string) => void;
}

/** What we ask Telegram for; everything else never reaches us. */
export const updateTypes = ['message', 'edited_message', 'callback_query'] as const;

const pollSeconds = 30;
const confirmMs = 2000;

/**
 * The bot's updates by long polling. An update counts as dealt with only when the next one is asked for, and Telegram is
 * told so with the next poll: what was not dealt with comes again, after a crash as well. The pieces of an album that come
 * with one poll are handed on together.
 */
export async function* pollUpdates(deps: PollDeps, signal: AbortSignal): AsyncGenerator<readonly Update[], void> {
  const handled = new HandledUpdates();
  const rivals = new Rivals(deps);
  let offset = 0;
  try {
    while (!signal.aborted) {
      const from = offset;
      const ask = async (failures: number): ReturnType<typeof poll> =>
        rivals.note(await poll(deps.bot, { from, failures }, signal));
      const updates = await insist(ask, deps, signal);
      if (updates === undefined) return;
      for (const group of groupAlbums(updates.toSorted((left, right) => left.update_id - right.update_id))) {
        if (signal.aborted) return;
        const fresh = group.filter(({ update_id: id }) => !handled.has(id));
        if (fresh.length > 0) yield fresh;
        for (const { update_id: id } of group) {
          handled.add(id);
          offset = id + 1;
        }
      }
    }
  } finally {
    if (offset > 0) await confirm(deps.bot, offset);
  }
}

/** Another program that has the same token: each takes messages away from the other, so that whoever runs this is told, once. */
class Rivals {
  readonly #report: PollDeps['report'];
  #conflicts = 0;

  constructor({ report }: Pick<PollDeps, 'report'>) {
    this.#report = report;
  }

  note<Value>(result: CallResult<Value>): CallResult<Value> {
    if (!isConflict(result)) return result;
    this.#conflicts += 1;
    // The first one may be the last poll of a program that was killed a moment ago.
    if (this.#conflicts === 2) this.#report?.(rivalText);
    return result;
  }
}

const rivalText =
  'telegram: another program takes the messages of this bot, too, so that some do not arrive here. Stop it, or give it a bot of its own.';

interface Poll {
  readonly from: number;
  readonly failures: number;
}

/** After a failure it is not waited for updates: whether Telegram answers again is known at once then. */
async function poll(
  bot: BotApi,
  { from: offset, failures }: Poll,
  signal: AbortSignal,
): ReturnType<typeof bot.call<Update[]>> {
  const request = { offset, timeout: failures === 0 ? pollSeconds : 0, allowed_updates: updateTypes };
  return await bot.call((api, stop) => api.getUpdates(request, stop), signal);
}

/** Saves the next start from seeing again what was dealt with. Where it fails, the keys of the messages do that. */
async function confirm(bot: BotApi, offset: number): Promise<void> {
  await bot.call((api, stop) => api.getUpdates({ offset, limit: 1, timeout: 0 }, stop), AbortSignal.timeout(confirmMs));
}

import type { Clock } from '../base/clock.ts';
import { within } from '../base/within.ts';
import type { Address } from '../model/session.ts';
import type { Store } from '../model/store.ts';
import type { TurnRef } from '../model/turn.ts';
import type { StoppedTurn } from './command-deps.ts';
import type { InboundMessage } from './keep-images.ts';
import type { AnswerManner, Tellings } from './tellings.ts';
import type { Watcher } from './watchers.ts';

export interface StopTellingDeps {
  readonly store: Pick<Store, 'turns'>;
  readonly watch: (address: Address, watcher: Watcher) => Disposable;
  readonly tellings: Pick<Tellings, 'answer'>;
  readonly clock: Clock;
  /** Aborts when the program ends. */
  readonly signal: AbortSignal;
}

const patienceMs = 1000;

/**
 * Tells whoever stopped a turn in a chat that it is being stopped, where that takes its time. Most end at once and say so
 * themselves: then there is only to say what else there is, behind it.
 */
export async function tellStop(
  inbound: InboundMessage,
  { turn, reply, besides }: StoppedTurn,
  manner: AnswerManner,
  deps: StopTellingDeps,
): Promise<void> {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  using _watching = deps.watch(inbound.address, ({ turnId }, event) => {
    const isEnd = event.type === 'entry' && event.logged.entry.type === 'turn.settled';
    if (isEnd && turnId === turn.turnId) resolve();
  });
  const giveUp = (): void => resolve();
  deps.signal.addEventListener('abort', giveUp);
  // Looked for first, since it may have ended before anyone watched.
  if ((await isOpen(turn, deps)) && !deps.signal.aborted) await within(deps.clock, patienceMs, ended);
  deps.signal.removeEventListener('abort', giveUp);
  const text = (await isOpen(turn, deps)) ? reply : besides;
  if (text !== '') await deps.tellings.answer(inbound, text, manner);
}

/** Where the store cannot be read nothing is known to have ended in it, and the stop is answered all the same. */
async function isOpen({ sessionId, turnId }: TurnRef, { store }: StopTellingDeps): Promise<boolean> {
  return await store.turns.unsettled(sessionId).then(
    (unsettled) => unsettled.some((turn) => turn.turnId === turnId),
    () => true,
  );
}

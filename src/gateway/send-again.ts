import type { Clock } from '../base/clock.ts';
import type { Channel, Outbound, Receipt } from '../model/channel.ts';

export interface SendAgainOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Ends the waiting between two tries, and not a send that is under way; left out: `signal` does. */
  readonly waiting?: AbortSignal;
}

const mostTries = 5;
const pauseMs = 1000;

/**
 * Sends what is not kept in the outbox: again after a while, where the chat cannot take it now. What may have arrived is sent
 * once more, and marked. Resolves with the last receipt; rejects where the waiting is ended.
 */
export async function sendAgain(message: Outbound, channel: Channel, options: SendAgainOptions): Promise<Receipt> {
  const { clock, signal, waiting = signal } = options;
  let { copy } = message;
  for (let tries = 1; ; tries += 1) {
    const receipt = await channel.send({ ...message, copy }, signal);
    const isFinal = receipt.type === 'sent' || receipt.type === 'refused';
    const isGivenUp = tries === mostTries || signal.aborted || (receipt.type === 'unknown' && copy === 'repeat');
    if (isFinal || isGivenUp) return receipt;
    if (receipt.type === 'unknown') copy = 'repeat';
    await clock.sleep(receipt.type === 'retry' ? receipt.afterMs : pauseMs, waiting);
  }
}

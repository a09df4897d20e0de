import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { waitOut } from '../base/wait-out.ts';
import type { Channel, Outbound, Receipt } from '../model/channel.ts';
import type { Faults } from '../model/faults.ts';
import { addressKey } from '../model/session.ts';
import type { Address } from '../model/session.ts';
import type { Outbox, QueuedOutbound } from '../model/store.ts';

export interface DeliveryDeps {
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly faults: Faults | undefined;
  readonly log?: Log;
}

const firstPauseMs = 1000;
const longestPauseMs = 5 * 60 * 1000;

/**
 * Sends what is due on a channel, at one address or at all, in order, each attempt noted before it begins and its receipt
 * after. What has to be tried again holds back whatever is behind it at its address. Resolves with how long to wait
 * for that; undefined where nothing waits.
 */
export async function deliverDue(
  channel: Channel,
  deps: DeliveryDeps,
  signal: AbortSignal,
  only?: Address,
): Promise<number | undefined> {
  const heldUp = new Set<string>();
  let pauseMs: number | undefined;
  for (const queued of await deps.outbox.due(channel.name, deps.clock.now(), only)) {
    if (signal.aborted) return undefined;
    const key = addressKey(queued.message.address);
    if (heldUp.has(key) || !channel.serves(queued.message.address)) continue;
    const waitMs = await deliverOne(queued, channel, deps, signal);
    if (waitMs === undefined) continue;
    heldUp.add(key);
    pauseMs = Math.min(pauseMs ?? waitMs, waitMs);
  }
  return pauseMs;
}

/** Resolves with how long to wait before it is tried again; undefined where that was the last try. */
async function deliverOne(
  { message, attempts }: QueuedOutbound,
  channel: Channel,
  { outbox, clock, faults, log }: DeliveryDeps,
  signal: AbortSignal,
): Promise<number | undefined> {
  await outbox.sending(message.id);
  await faults?.reach('reply-sending');
  const receipt = slowDown(await send(channel, message, signal), attempts);
  await faults?.reach('reply-sent');
  // Until its receipt is written nothing else goes out to that address.
  await waitOut(() => outbox.settle(message.id, receipt, clock.now()), { clock, signal });
  const isOver = receipt.type !== 'retry' && (receipt.type !== 'unknown' || message.copy === 'repeat');
  if (receipt.type !== 'sent') {
    const fields = { id: message.id, platform: channel.name, reason: receipt.reason };
    log?.write('warn', isOver ? 'a message was given up' : 'a message has to be sent again', fields);
  }
  if (isOver) return undefined;
  return receipt.type === 'retry' ? receipt.afterMs : pauseAfter(attempts);
}

/** A channel that throws may have sent or not: nobody can tell. */
async function send(channel: Channel, message: Outbound, signal: AbortSignal): Promise<Receipt> {
  try {
    return await channel.send(message, signal);
  } catch (thrown) {
    return { type: 'unknown', reason: describeError(thrown) };
  }
}

/** However soon a platform wants to be asked again, it is asked less and less often. */
function slowDown(receipt: Receipt, attempts: number): Receipt {
  if (receipt.type !== 'retry') return receipt;
  return { ...receipt, afterMs: Math.max(receipt.afterMs, pauseAfter(attempts)) };
}

function pauseAfter(attempts: number): number {
  return Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(attempts, 20));
}

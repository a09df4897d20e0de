import type { Clock } from '../base/clock.ts';
import type { Channel, Outbound, Receipt } from '../model/channel.ts';
import { describeError } from '../base/errors.ts';
import { waitOut } from '../base/wait-out.ts';
import type { Faults } from '../model/faults.ts';
import type { Outbox } from '../model/store.ts';

export interface DeliveryDeps {
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly faults: Faults | undefined;
}

/** Sends what waits for a channel, in order, each attempt noted before it begins and its receipt after. */
export async function deliverDue(channel: Channel, deps: DeliveryDeps, signal: AbortSignal): Promise<void> {
  const { outbox, clock, faults } = deps;
  for (const { message } of await outbox.due(channel.name, clock.now())) {
    if (signal.aborted) return;
    if (!channel.serves(message.address)) continue;
    await outbox.sending(message.id);
    await faults?.reach('reply-sending');
    const receipt = await send(channel, message, signal);
    await faults?.reach('reply-sent');
    // Until its receipt is written nothing else goes out to that address.
    await waitOut(() => outbox.settle(message.id, receipt, clock.now()), { clock, signal });
  }
}

/** A channel that throws may have sent or not: nobody can tell. */
async function send(channel: Channel, message: Outbound, signal: AbortSignal): Promise<Receipt> {
  try {
    return await channel.send(message, signal);
  } catch (thrown) {
    return { type: 'unknown', reason: describeError(thrown) };
  }
}

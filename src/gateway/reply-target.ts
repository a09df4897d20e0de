import { addressKey, sharedPlace } from '../model/session.ts';
import type { Address } from '../model/session.ts';
import type { TurnLog } from '../model/store.ts';
import type { SaidMessage, TurnRef } from '../model/turn.ts';
import type { InboundMessage } from './keep-images.ts';

/** What is kept with the turn of a message that so many others are before, for its answer to be shown as a reply. Pure. */
export function replyTarget(inbound: InboundMessage, before: number): { readonly replyTo?: SaidMessage } {
  const { answeredBy, address, key } = inbound;
  const isMarked = answeredBy === 'reply' || (answeredBy === 'reply-if-it-waited' && before > 0);
  return isMarked ? { replyTo: { place: addressKey(sharedPlace(address)), id: key.messageId } } : {};
}

/** What goes with all that is sent to an address for a turn. Its conversation may have moved away from the message. Pure. */
export function replyAt(address: Address, said: SaidMessage | undefined): { readonly replyTo?: string } {
  return said?.place === addressKey(sharedPlace(address)) ? { replyTo: said.id } : {};
}

/** The same, for whoever knows no more of a turn than its name. */
export async function findReplyAt(
  address: Address,
  { sessionId, turnId }: TurnRef,
  turns: Pick<TurnLog, 'unsettled'>,
): Promise<{ readonly replyTo?: string }> {
  const running = (await turns.unsettled(sessionId)).find((turn) => turn.turnId === turnId);
  return replyAt(address, running?.replyTo);
}

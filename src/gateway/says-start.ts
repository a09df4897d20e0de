import type { Inbound } from '../model/channel.ts';
import { partsToText } from '../model/message.ts';

/** Whether it can be a link that makes an owner; what those are is loaded only then. */
export function saysStart(inbound: Inbound): boolean {
  return inbound.type === 'message' && partsToText(inbound.parts).trimStart().startsWith('/start ');
}

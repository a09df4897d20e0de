import type { EarlyEnd } from '../../model/message.ts';
import type { AbortCause } from '../../model/turn.ts';

/** How a command ended that an abort ended. Without a cause it was a person. Pure. */
export function earlyEnd({ reason }: AbortSignal): EarlyEnd {
  return (reason as Partial<AbortCause> | undefined)?.type === 'put-aside' ? 'put-aside' : 'stopped';
}

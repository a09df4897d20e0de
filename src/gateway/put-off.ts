import { shortId } from '../base/ids.ts';
import type { Session } from '../model/session.ts';
import type { Store } from '../model/store.ts';
import { quoteSaid } from './quote-said.ts';

/**
 * What whoever leaves a session should know: that something said there has no answer yet, since it was put off or cut off.
 * It goes on when they come back and no sooner, so that its answer does not turn up in another conversation.
 */
export async function describePutOff(
  { id }: Pick<Session, 'id'>,
  { turns }: Pick<Store, 'turns'>,
): Promise<readonly string[]> {
  const waiting = new Set((await turns.unsettled(id)).map(({ turnId }) => turnId));
  if (waiting.size === 0) return [];
  const entries = (await turns.after(id, 0)).filter(({ turnId }) => waiting.has(turnId));
  const said = entries.flatMap(({ entry }) => (entry.type === 'turn.admitted' ? [entry.parts] : []));
  return [`Not answered there yet: ${quoteSaid(said)}. That goes on when you come back: /resume ${shortId(id)}`];
}

import type { Store } from '../model/store.ts';
import type { TurnRef } from '../model/turn.ts';
import { quoteSaid } from './quote-said.ts';

/**
 * What whoever stops a turn should know: that something was added to it which no request has carried so far. It stays in the
 * conversation, where the next request finds it.
 */
export async function describeUnread(
  { sessionId, turnId }: TurnRef,
  { turns }: Pick<Store, 'turns'>,
): Promise<readonly string[]> {
  const entries = (await turns.after(sessionId, 0)).filter((logged) => logged.turnId === turnId);
  const lastAsked = entries.findLastIndex(({ entry }) => entry.type === 'step.asked');
  const unread = entries
    .slice(lastAsked + 1)
    .flatMap(({ entry }) => (entry.type === 'turn.steered' ? [entry.parts] : []));
  if (unread.length === 0) return [];
  const what = unread.length === 1 ? 'it' : 'them';
  return [`Not answered: ${quoteSaid(unread)}. The model reads ${what} with the next message.`];
}

import type { Store, WaitingTurn } from '../model/store.ts';
import { quoteSaid } from './quote-said.ts';

/**
 * What is said on a screen where a turn begins that had waited: its message stands far above by then, and others may have
 * waited with it. Undefined where it is clear what comes: behind a turn that was stopped for it, and of a command.
 */
export async function nameWaited(
  { sessionId, turnId, interrupts }: WaitingTurn,
  { turns }: Pick<Store, 'turns'>,
): Promise<string | undefined> {
  if (interrupts !== undefined) return undefined;
  const entries = (await turns.after(sessionId, 0)).filter((logged) => logged.turnId === turnId);
  const said = entries.flatMap(({ entry }) => (entry.type === 'turn.admitted' && !entry.purpose ? [entry.parts] : []));
  return said.length === 0 ? undefined : `Now to ${quoteSaid(said)}`;
}

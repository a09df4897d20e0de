import type { Log } from '../base/log.ts';
import type { Store } from '../model/store.ts';
import { foldTurn } from '../model/turn-state.ts';
import type { TurnRef } from '../model/turn.ts';

export interface CrashDeps {
  readonly store: Pick<Store, 'turns'>;
  readonly log: Log;
}

/** Says in the log which turns an earlier run of the program neither finished nor let go of: it did not end in good order. */
export async function noteCrashes(unsettled: readonly TurnRef[], { store, log }: CrashDeps): Promise<void> {
  for (const { sessionId, turnId } of unsettled) {
    const ofTurn = (await store.turns.after(sessionId, 0)).filter((logged) => logged.turnId === turnId);
    const { unreleasedStarts: crashes } = foldTurn(ofTurn.map(({ entry }) => entry));
    if (crashes === 0) continue;
    log.write('warn', 'the program ended in the middle of a turn', { session: sessionId, turn: turnId, crashes });
  }
}

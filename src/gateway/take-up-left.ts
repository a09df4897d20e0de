import type { Address } from '../model/session.ts';
import type { Store, Wake } from '../model/store.ts';
import type { Deliveries } from './deliveries.ts';
import type { RestartNotices } from './restart-notices.ts';

export interface TakeUpDeps {
  readonly store: Pick<Store, 'turns' | 'sessions'>;
  readonly notices: Pick<RestartNotices, 'returnAll'>;
  readonly deliveries: Pick<Deliveries, 'goOn'>;
  readonly serves: (address: Address) => boolean;
  readonly wake: Wake;
}

/**
 * Goes on with what an earlier run left, where a channel serves it: turns without a result, and what was not sent. It may be
 * done again, when a channel comes to serve more: what goes on already is none the worse for it.
 */
export async function takeUpLeft({ store, notices, deliveries, serves, wake }: TakeUpDeps): Promise<void> {
  await notices.returnAll();
  for (const sessionId of new Set((await store.turns.unsettled()).map((turn) => turn.sessionId))) {
    const session = await store.sessions.get(sessionId);
    // What was put off in a session that its chat has left goes on when it comes back.
    const isHere = session && (await store.sessions.find(session.address))?.id === sessionId;
    if (isHere === true && serves(session.address)) wake.wake(sessionId);
  }
  await deliveries.goOn();
}

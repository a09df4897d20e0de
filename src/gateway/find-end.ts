import type { Clock } from '../base/clock.ts';
import type { Session } from '../model/session.ts';
import type { Settings } from '../model/settings.ts';
import type { Store } from '../model/store.ts';
import type { Toolbox } from '../model/tool.ts';
import { decideReset } from './decide-reset.ts';
import type { ResetReason } from './decide-reset.ts';
import type { Lanes } from './lanes.ts';

export interface EndDeps {
  readonly store: Pick<Store, 'turns'>;
  readonly lanes: Pick<Lanes, 'isBusy'>;
  readonly toolbox: Pick<Toolbox, 'hasLiveProcess'>;
  readonly settings: Pick<Settings, 'current'>;
  readonly clock: Clock;
}

/**
 * Why a session is over; undefined while it is not. None is over in which a turn runs or waits, in which something still
 * runs in the background, or in which nothing was ever said.
 */
export async function findEnd(session: Session, deps: EndDeps): Promise<ResetReason | undefined> {
  const reason = decideReset(session, deps.settings.current.config.sessionReset, deps.clock.now());
  if (reason === undefined || deps.lanes.isBusy(session.id)) return undefined;
  const { turns } = deps.store;
  if ((await turns.unsettled(session.id)).length > 0 || (await turns.after(session.id, 0)).length === 0)
    return undefined;
  return (await deps.toolbox.hasLiveProcess(session.id)) ? undefined : reason;
}

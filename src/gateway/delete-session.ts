import { AppError } from '../base/errors.ts';
import type { SessionId } from '../base/ids.ts';
import type { Address } from '../model/session.ts';
import type { Store } from '../model/store.ts';
import { mayBeTold } from './access.ts';
import type { AccessDeps } from './access.ts';
import type { GatewayAgents } from './gateway-agents.ts';
import type { Lanes } from './lanes.ts';
import type { Tellings } from './tellings.ts';

export interface DeletionDeps extends AccessDeps {
  readonly store: Pick<Store, 'people' | 'sessions'>;
  readonly lanes: Pick<Lanes, 'isBusy'>;
  readonly agents: Pick<GatewayAgents, 'close'>;
  readonly tellings: Pick<Tellings, 'tell'>;
}

/** Deletes a session with everything that is kept for it, and tells whoever has it open. Throws `session-busy` while it works. */
export async function deleteSession(sessionId: SessionId, deps: DeletionDeps): Promise<void> {
  const { store, lanes, agents, tellings } = deps;
  if (lanes.isBusy(sessionId))
    throw new AppError('session-busy', `${sessionId} is at work; stop it before you delete it`);
  const open = await findOpenAt(sessionId, deps);
  await store.sessions.delete(sessionId);
  if (open !== undefined) tellings.tell(open, 'This session was deleted; what you say next begins a new one.');
  await agents.close(sessionId);
}

/** Where the next message would have gone into it, if there is such a place. */
async function findOpenAt(sessionId: SessionId, deps: DeletionDeps): Promise<Address | undefined> {
  const { sessions } = deps.store;
  const session = await sessions.get(sessionId);
  if (session === undefined || (await sessions.find(session.address))?.id !== sessionId) return undefined;
  return (await mayBeTold(session, deps)) ? session.address : undefined;
}

import type { AgentCache, Closing } from '../agents/agent-cache.ts';
import { describeError } from '../base/errors.ts';
import type { SessionId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { sleepUnless } from '../base/sleep-unless.ts';
import type { Address, Session } from '../model/session.ts';
import type { Store } from '../model/store.ts';
import type { Toolbox } from '../model/tool.ts';
import { findEnd } from './find-end.ts';
import type { EndDeps } from './find-end.ts';
import { isOfStranger } from './shut-out.ts';

export interface ExpiryDeps extends EndDeps {
  readonly store: Pick<Store, 'turns' | 'sessions' | 'people'>;
  readonly agents: Pick<AgentCache, 'sessions' | 'close'>;
  readonly toolbox: Pick<Toolbox, 'hasLiveProcess' | 'sessionsWithTask'>;
  readonly serves: (address: Address) => boolean;
  readonly log: Log;
}

const firstMs = 60_000;
const everyMs = 5 * 60_000;

/** Every few minutes, until the signal ends it. */
export async function keepExpiring(deps: ExpiryDeps, signal: AbortSignal): Promise<void> {
  for (let pauseMs = firstMs; ; pauseMs = everyMs) {
    const rest = await sleepUnless(deps.clock, pauseMs, signal);
    if (rest === 'stopped') return;
    await expireSessions(deps).catch((thrown: unknown) => noteFailure(thrown, deps));
  }
}

/**
 * Closes the agent and the task of every session that is over, and says how many. Each is closed once: what has neither is
 * not looked at again. A message that comes meanwhile is not for it any more, since its chat begins anew.
 */
async function expireSessions(deps: ExpiryDeps): Promise<number> {
  const held = new Set([...deps.agents.sessions, ...(await deps.toolbox.sessionsWithTask())]);
  let count = 0;
  for (const sessionId of held) {
    const outcome = await expire(sessionId, deps).catch((thrown: unknown) => noteFailure(thrown, deps));
    if (outcome === 'closed') count += 1;
  }
  if (count > 0) deps.log.write('info', `${count} ${count === 1 ? 'session was' : 'sessions were'} closed, being over`);
  return count;
}

async function expire(sessionId: SessionId, deps: ExpiryDeps): Promise<Closing | 'kept'> {
  const session = await deps.store.sessions.get(sessionId);
  const isOver = session !== undefined && (await isToBeClosed(session, deps));
  return isOver ? await deps.agents.close(sessionId) : 'kept';
}

/**
 * One that was replaced, or of someone who lost their access, was to be closed at once, with all that it had running: a crash
 * or a failure came in between.
 */
async function isToBeClosed(session: Session, deps: ExpiryDeps): Promise<boolean> {
  if (session.ended === 'replaced') return !deps.lanes.isBusy(session.id);
  if (!deps.serves(session.address)) return false;
  if (await isOfStranger(session, deps)) return !deps.lanes.isBusy(session.id);
  return (await findEnd(session, deps)) !== undefined;
}

function noteFailure(thrown: unknown, { log }: ExpiryDeps): undefined {
  log.write('error', 'a session that is over was not closed', { reason: describeError(thrown) });
}

import type { AgentCache } from '../agents/agent-cache.ts';
import type { StandingConsents } from './standing-consents.ts';
import type { Yolo } from './yolo.ts';

/** What a gateway does with its agents. */
export type GatewayAgents = Pick<AgentCache, 'lease' | 'close' | 'evictAll' | 'sessions'>;

interface Allowances {
  readonly yolo: Pick<Yolo, 'switchOff'>;
  readonly consents: Pick<StandingConsents, 'forget'>;
}

/** The same agents, and with each that is closed ends what was allowed in its session: whoever goes back is asked again. */
export function endAllowancesWith(agents: GatewayAgents, { yolo, consents }: Allowances): GatewayAgents {
  return {
    lease: (session) => agents.lease(session),
    evictAll: () => agents.evictAll(),
    get sessions() {
      return agents.sessions;
    },
    async close(sessionId) {
      yolo.switchOff(sessionId);
      consents.forget(sessionId);
      return await agents.close(sessionId);
    },
  };
}

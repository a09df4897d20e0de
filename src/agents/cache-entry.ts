import type { SessionId } from '../base/ids.ts';
import type { Agent } from './agent.ts';
import type { Holding } from './choose-excess.ts';

/** What an agent for a session would be, as things are now. */
export interface AgentPlan {
  /** Equal signatures mean that an agent that is there can serve on. */
  readonly signature: string;
  /** The agent may ask to be evicted while a turn runs on it; that turn keeps it to the end. */
  readonly build: (evict: () => void) => Promise<Agent>;
}

/** An agent that is built or being built for a session, and how many turns hold it. */
export class CacheEntry implements Holding {
  readonly sessionId: SessionId;
  readonly signature: string;
  readonly agent: Promise<Agent>;
  #built: Agent | undefined;
  #leases = 0;

  constructor(sessionId: SessionId, plan: AgentPlan, evict: (entry: CacheEntry) => void) {
    this.sessionId = sessionId;
    this.signature = plan.signature;
    this.agent = plan.build(() => evict(this)).then((agent) => (this.#built = agent));
  }

  get isMidTurn(): boolean {
    return this.#leases > 0;
  }

  get bytes(): number {
    return this.#built?.heldBytes ?? 0;
  }

  /** When something last stirred in it; undefined where it was built and no turn has begun. */
  get activeAt(): number | undefined {
    return this.#built?.activity.at;
  }

  hold(): void {
    this.#leases += 1;
  }

  giveBack(): void {
    this.#leases -= 1;
  }
}

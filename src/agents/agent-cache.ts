import type { SessionId } from '../base/ids.ts';
import type { Session } from '../model/session.ts';
import type { Agent } from './agent.ts';

/** The right to use an agent for one turn; given back when it goes out of scope. */
export interface AgentLease extends Disposable {
  readonly agent: Agent;
}

/** What an agent for a session would be, as things are now. */
export interface AgentPlan {
  /** Equal signatures mean that an agent that is there can serve on. */
  readonly signature: string;
  readonly build: () => Promise<Agent>;
}

export interface AgentCacheDeps {
  /** Asked before every turn, so it has to be cheap. */
  readonly plan: (session: Session) => Promise<AgentPlan>;
  /** Ends the working state of a session that has no agent just now. */
  readonly endTask: (sessionId: SessionId) => Promise<void>;
  /** Told of an agent that could not be let go of. */
  readonly onError: (thrown: unknown) => void;
}

interface Entry {
  readonly sessionId: SessionId;
  readonly signature: string;
  readonly agent: Promise<Agent>;
  leases: number;
}

/**
 * One current agent a session, for as long as its signature is the one that is wished for. Builds are shared. An agent
 * that is leased is never closed: one that was replaced meanwhile is let go of when its last lease ends, and its task stays.
 */
export class AgentCache {
  readonly #deps: AgentCacheDeps;
  readonly #entries = new Map<SessionId, Entry>();
  /** Replaced, and still leased. */
  readonly #retired = new Set<Entry>();
  readonly #releasing = new Set<Promise<void>>();

  constructor(deps: AgentCacheDeps) {
    this.#deps = deps;
  }

  async lease(session: Session): Promise<AgentLease> {
    const plan = await this.#deps.plan(session);
    // Synchronous up to the next await, so that no eviction can slip in between finding an entry and holding it.
    const entry = this.#claim(session.id, plan);
    entry.leases += 1;
    try {
      const agent = await entry.agent;
      return { agent, [Symbol.dispose]: () => this.#giveBack(entry) };
    } catch (thrown) {
      // The next lease tries again.
      this.#retire(entry);
      this.#giveBack(entry);
      throw thrown;
    }
  }

  /** Lets go of all agents: each session builds a new one for its next turn. Turns that run keep theirs to the end. */
  evictAll(): void {
    for (const entry of this.#entries.values()) this.#retire(entry);
  }

  /** Closes the model clients of all agents. Their tasks stay. */
  async releaseAll(): Promise<void> {
    this.evictAll();
    for (const entry of this.#retired) this.#release(entry);
    await Promise.all(this.#releasing);
  }

  /** Ends a session's agent and its task. Refuses while a turn runs on it. */
  async close(sessionId: SessionId): Promise<'closed' | 'in-use'> {
    const entry = this.#entries.get(sessionId);
    const isLeased = (entry?.leases ?? 0) > 0 || [...this.#retired].some((old) => old.sessionId === sessionId);
    if (isLeased) return 'in-use';
    this.#entries.delete(sessionId);
    if (entry === undefined) await this.#deps.endTask(sessionId);
    else await (await entry.agent).close();
    return 'closed';
  }

  #claim(sessionId: SessionId, plan: AgentPlan): Entry {
    const current = this.#entries.get(sessionId);
    if (current?.signature === plan.signature) return current;
    if (current) this.#retire(current);
    const entry: Entry = { sessionId, signature: plan.signature, agent: plan.build(), leases: 0 };
    this.#entries.set(sessionId, entry);
    return entry;
  }

  #giveBack(entry: Entry): void {
    entry.leases -= 1;
    if (entry.leases === 0 && this.#retired.has(entry)) this.#release(entry);
  }

  /** Takes an entry out of use for later turns. */
  #retire(entry: Entry): void {
    if (this.#entries.get(entry.sessionId) === entry) this.#entries.delete(entry.sessionId);
    this.#retired.add(entry);
    if (entry.leases === 0) this.#release(entry);
  }

  #release(entry: Entry): void {
    this.#retired.delete(entry);
    const releasing = entry.agent
      .then(
        (agent) => agent.release(),
        () => undefined, // It was never built; whoever asked for it was told.
      )
      .catch(this.#deps.onError)
      .finally(() => this.#releasing.delete(releasing));
    this.#releasing.add(releasing);
  }
}

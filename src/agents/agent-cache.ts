import type { SessionId } from '../base/ids.ts';
import type { Session } from '../model/session.ts';
import type { Agent } from './agent.ts';

/** The right to use an agent for one turn; given back when it goes out of scope. */
export interface AgentLease extends Disposable {
  readonly agent: Agent;
}

interface Entry {
  readonly agent: Promise<Agent>;
  leases: number;
}

/** One current agent a session. Builds are shared, and an agent that is leased is never closed. */
export class AgentCache {
  readonly #build: (session: Session) => Promise<Agent>;
  readonly #entries = new Map<SessionId, Entry>();

  constructor(build: (session: Session) => Promise<Agent>) {
    this.#build = build;
  }

  async lease(session: Session): Promise<AgentLease> {
    // Synchronous up to the first await, so that no eviction can slip in between finding an entry and holding it.
    const entry = this.#entries.get(session.id) ?? this.#begin(session);
    entry.leases += 1;
    try {
      const agent = await entry.agent;
      return { agent, [Symbol.dispose]: () => this.#giveBack(entry) };
    } catch (thrown) {
      this.#giveBack(entry);
      if (this.#entries.get(session.id) === entry) this.#entries.delete(session.id);
      throw thrown;
    }
  }

  /** Closes the model clients of all agents. Their tasks stay. */
  async releaseAll(): Promise<void> {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    await Promise.all(entries.map(async ({ agent }) => (await agent).release()));
  }

  /** Ends a session's agent and its task. Refuses while a turn runs on it. */
  async close(sessionId: SessionId): Promise<'closed' | 'in-use' | 'absent'> {
    const entry = this.#entries.get(sessionId);
    if (entry === undefined) return 'absent';
    if (entry.leases > 0) return 'in-use';
    this.#entries.delete(sessionId);
    await (await entry.agent).close();
    return 'closed';
  }

  #begin(session: Session): Entry {
    const entry: Entry = { agent: this.#build(session), leases: 0 };
    this.#entries.set(session.id, entry);
    return entry;
  }

  #giveBack(entry: Entry): void {
    entry.leases -= 1;
  }
}

/** An agent as the model of the cache knows it. */
export interface ModelAgent {
  readonly session: string;
  readonly signature: string;
  leases: number;
  /** When its last turn began. */
  activeAt: number | undefined;
}

export interface ModelBounds {
  readonly maxAgents: number | undefined;
  /** How many agents fit by weight: in the model all weigh the same. */
  readonly maxByWeight: number | undefined;
}

/** What the cache of agents promises, written down as simply as can be. */
export class CacheModel {
  /** Least recently used first. */
  cached: ModelAgent[] = [];
  readonly building = new Map<string, ModelAgent>();
  readonly retired = new Set<ModelAgent>();
  bounds: ModelBounds = { maxAgents: undefined, maxByWeight: undefined };

  /** The agent that a message of the session is served by, and whether it has to be built first. */
  lease(session: string, signature: string): { readonly agent: ModelAgent; readonly isNew: boolean } {
    const current = this.currentOf(session);
    if (current?.signature === signature) {
      current.leases += 1;
      if (this.cached.includes(current)) this.cached = [...this.cached.filter((other) => other !== current), current];
      return { agent: current, isNew: false };
    }
    if (current) this.retire(current);
    const agent: ModelAgent = { session, signature, leases: 1, activeAt: undefined };
    this.building.set(session, agent);
    return { agent, isNew: true };
  }

  currentOf(session: string): ModelAgent | undefined {
    return this.cached.find((agent) => agent.session === session) ?? this.building.get(session);
  }

  built(agent: ModelAgent): void {
    if (this.building.get(agent.session) !== agent) return;
    this.building.delete(agent.session);
    this.cached.push(agent);
    this.#makeRoom();
  }

  failed(agent: ModelAgent): void {
    this.retire(agent);
  }

  giveBack(agent: ModelAgent): void {
    agent.leases -= 1;
    if (agent.leases > 0) return;
    if (!this.retired.delete(agent)) this.#makeRoom();
  }

  retire(agent: ModelAgent): void {
    this.cached = this.cached.filter((other) => other !== agent);
    if (this.building.get(agent.session) === agent) this.building.delete(agent.session);
    if (agent.leases > 0) this.retired.add(agent);
  }

  retireAll(): void {
    for (const agent of [...this.cached, ...this.building.values()]) this.retire(agent);
  }

  sweep(before: number): number {
    const stale = this.cached.filter(
      ({ leases, activeAt }) => leases === 0 && activeAt !== undefined && activeAt < before,
    );
    for (const agent of stale) this.retire(agent);
    return stale.length;
  }

  close(session: string): 'closed' | 'in-use' {
    const current = this.currentOf(session);
    const isHeld = [...this.retired].some((agent) => agent.session === session);
    if (isHeld || (current?.leases ?? 0) > 0) return 'in-use';
    if (current) this.retire(current);
    return 'closed';
  }

  #makeRoom(): void {
    const { maxAgents = Number.POSITIVE_INFINITY, maxByWeight = Number.POSITIVE_INFINITY } = this.bounds;
    const tooMany = Math.max(0, this.cached.length - maxAgents);
    // Whatever it weighs, the newest stays.
    const tooHeavy = Math.max(0, Math.min(this.cached.length - maxByWeight, this.cached.length - 1));
    const excess = this.cached.slice(0, Math.max(tooMany, tooHeavy));
    for (const agent of excess) if (agent.leases === 0) this.retire(agent);
  }
}

import type { Clock } from '../base/clock.ts';
import { describeError } from '../base/errors.ts';
import type { SessionId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { within } from '../base/within.ts';
import type { AgentCacheSettings } from '../model/config.ts';
import type { Session } from '../model/session.ts';
import type { Agent } from './agent.ts';
import { CacheEntry } from './cache-entry.ts';
import type { AgentPlan } from './cache-entry.ts';
import { chooseExcess } from './choose-excess.ts';

/** The right to use an agent for one turn; given back when it goes out of scope. */
export interface AgentLease extends Disposable {
  readonly agent: Agent;
}

/** What became of a session that was to be closed: `unended` is one whose task takes its time, and can be closed again. */
export type Closing = 'closed' | 'in-use' | 'unended';

export interface AgentCacheDeps {
  /** Asked before every turn, so it has to be cheap. */
  readonly plan: (session: Session) => Promise<AgentPlan>;
  /** Ends the working state of a session. */
  readonly endTask: (sessionId: SessionId) => Promise<void>;
  readonly limits: () => AgentCacheSettings;
  readonly clock: Clock;
  readonly log: Log;
}

const longestReleaseMs = 5_000;
const longestCloseMs = 15_000;

/**
 * One current agent a session, for as long as its signature is the one that is wished for and there is room. Builds are
 * shared. An agent that is leased is never let go of: one that was evicted meanwhile goes when its last lease ends, and its
 * task stays.
 */
export class AgentCache {
  readonly #deps: AgentCacheDeps;
  /** Least recently used first. */
  readonly #entries = new Map<SessionId, CacheEntry>();
  /** Not built yet: these neither count nor can be evicted for want of room. */
  readonly #building = new Map<SessionId, CacheEntry>();
  /** Evicted, and still leased. */
  readonly #retired = new Set<CacheEntry>();
  readonly #releasing = new Set<Promise<void>>();
  readonly #closing = new Map<SessionId, Promise<Closing>>();

  constructor(deps: AgentCacheDeps) {
    this.#deps = deps;
  }

  /** The sessions that have an agent, least recently used first. */
  get sessions(): readonly SessionId[] {
    return [...this.#entries.keys()];
  }

  async lease(session: Session): Promise<AgentLease> {
    const plan = await this.#deps.plan(session);
    // What whoever goes back to a session does there must not be ended with what was there before.
    for (let closing = this.#closing.get(session.id); closing; closing = this.#closing.get(session.id))
      await closing.catch(() => undefined);
    // Synchronous up to the next await, so that no eviction can slip in between finding an entry and holding it.
    const entry = this.#claim(session.id, plan);
    entry.hold();
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
    for (const entry of [...this.#entries.values(), ...this.#building.values()]) this.#retire(entry);
  }

  /** Lets go of agents in which nothing has stirred for too long, and says how many. */
  sweepIdle(): number {
    const before = this.#deps.clock.monotonic() - this.#deps.limits().idleMs;
    const isStale = ({ activeAt, isMidTurn }: CacheEntry): boolean =>
      !isMidTurn && activeAt !== undefined && activeAt < before;
    const stale = [...this.#entries.values()].filter(isStale);
    for (const entry of stale) this.#retire(entry);
    return stale.length;
  }

  /** Closes the model clients of all agents, as far as that can be done in a moment. Their tasks stay. */
  async releaseAll(): Promise<void> {
    this.evictAll();
    for (const entry of this.#retired) this.#release(entry);
    const waiting = new AbortController();
    const patience = this.#deps.clock.sleep(longestReleaseMs, waiting.signal).catch(() => undefined);
    await Promise.race([Promise.all(this.#releasing), patience]);
    waiting.abort();
  }

  /** Hard, for reset, expiry and deletion: ends a session's agent and its task. Refuses while a turn runs on it. */
  async close(sessionId: SessionId): Promise<Closing> {
    const closing =
      this.#closing.get(sessionId) ?? this.#close(sessionId).finally(() => this.#closing.delete(sessionId));
    this.#closing.set(sessionId, closing);
    return await closing;
  }

  async #close(sessionId: SessionId): Promise<Closing> {
    const entry = this.#entries.get(sessionId) ?? this.#building.get(sessionId);
    const isOutlived = [...this.#retired].some((old) => old.sessionId === sessionId);
    if (entry?.isMidTurn === true || isOutlived) return 'in-use';
    if (entry) this.#retire(entry);
    return await this.#endTask(sessionId);
  }

  /** Nobody waits without end for a program that cannot be ended, or a machine that does not answer. */
  async #endTask(sessionId: SessionId): Promise<Closing> {
    const { clock, endTask, log } = this.#deps;
    let closing: Closing = 'unended';
    await within(
      clock,
      longestCloseMs,
      endTask(sessionId).then(() => void (closing = 'closed')),
    );
    if (closing === 'unended') log.write('warn', 'what a session has running does not end', { session: sessionId });
    return closing;
  }

  #claim(sessionId: SessionId, plan: AgentPlan): CacheEntry {
    const current = this.#entries.get(sessionId) ?? this.#building.get(sessionId);
    if (current?.signature === plan.signature) {
      if (this.#entries.delete(sessionId)) this.#entries.set(sessionId, current);
      return current;
    }
    if (current) this.#retire(current);
    const entry = new CacheEntry(sessionId, plan, (spent) => this.#retire(spent));
    this.#building.set(sessionId, entry);
    // One that cannot be built is dropped by whoever leased it.
    void entry.agent.then(
      () => this.#insert(entry),
      () => undefined,
    );
    return entry;
  }

  #insert(entry: CacheEntry): void {
    // Where it was replaced while it was built, the newer one is the session's.
    if (this.#building.get(entry.sessionId) !== entry) return;
    this.#building.delete(entry.sessionId);
    this.#entries.set(entry.sessionId, entry);
    const midTurn = this.#makeRoom();
    if (midTurn > 0) {
      this.#deps.log.write('warn', `the agent cache is over its bounds: ${midTurn} of the oldest agents are mid-turn`);
    }
  }

  #giveBack(entry: CacheEntry): void {
    entry.giveBack();
    if (entry.isMidTurn) return;
    if (this.#retired.has(entry)) this.#release(entry);
    // A turn makes its conversation longer, and may have been what an eviction had to pass over.
    else this.#makeRoom();
  }

  /** Evicts what is too much, and says how many stay only because they are mid-turn. */
  #makeRoom(): number {
    const { going, midTurn } = chooseExcess([...this.#entries.values()], this.#deps.limits());
    for (const entry of going) this.#retire(entry);
    return midTurn;
  }

  /** Takes an entry out of use for later turns. */
  #retire(entry: CacheEntry): void {
    for (const place of [this.#entries, this.#building]) {
      if (place.get(entry.sessionId) === entry) place.delete(entry.sessionId);
    }
    this.#retired.add(entry);
    if (!entry.isMidTurn) this.#release(entry);
  }

  /** Nobody waits for it but the end of the program: a client may take its time to close. */
  #release(entry: CacheEntry): void {
    this.#retired.delete(entry);
    const releasing = entry.agent
      .then(
        (agent) => agent.release(),
        () => undefined, // It was never built; whoever asked for it was told.
      )
      .catch((thrown: unknown) => {
        this.#deps.log.write('error', 'an agent was not let go of', { reason: describeError(thrown) });
      })
      .finally(() => this.#releasing.delete(releasing));
    this.#releasing.add(releasing);
  }
}

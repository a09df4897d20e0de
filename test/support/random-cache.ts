import assert from 'node:assert/strict';
import { setImmediate as nextTick } from 'node:timers/promises';
import { AgentCache } from '../../src/agents/agent-cache.ts';
import type { AgentLease } from '../../src/agents/agent-cache.ts';
import { Agent } from '../../src/agents/agent.ts';
import type { AgentPlan } from '../../src/agents/cache-entry.ts';
import type { SessionId, TurnId } from '../../src/base/ids.ts';
import { withDefaults } from '../../src/model/config.ts';
import type { UserConfig } from '../../src/model/config-schema.ts';
import type { Session } from '../../src/model/session.ts';
import type { Fence } from '../../src/model/store.ts';
import { CacheModel } from './cache-model.ts';
import type { ModelAgent } from './cache-model.ts';
import { ManualClock } from './manual-clock.ts';
import { RandomNumbers } from './random-numbers.ts';
import { runtimeAt } from '../agents/agent-bench.ts';
import type { CacheBench } from '../agents/cache-bench.ts';

const sessionCount = 12;
const idleMs = 1000;
const config = withDefaults({} as UserConfig);

interface Held {
  readonly model: ModelAgent;
  readonly lease: AgentLease;
}

interface Building {
  readonly model: ModelAgent;
  readonly end: (how: 'built' | 'failed') => void;
  /** Those who wait for it. */
  readonly waiting: Promise<AgentLease>[];
}

/** Does random things to the cache and, beside it, to a simple model of it, and holds the one against the other. */
export class RandomCache {
  readonly counts = new Map<string, number>();
  readonly #random: RandomNumbers;
  readonly #bench: CacheBench;
  readonly #clock = new ManualClock();
  readonly #model = new CacheModel();
  readonly #cache: AgentCache;
  readonly #sessions: readonly Session[];
  readonly #versions: number[] = Array.from({ length: sessionCount }, () => 0);
  readonly #agents = new Map<Agent, ModelAgent>();
  readonly #released = new Set<Agent>();
  readonly #building = new Map<ModelAgent, Building>();
  readonly #evict = new Map<ModelAgent, () => void>();
  #held: Held[] = [];
  #limits: { readonly maxAgents: number | undefined; readonly maxBytes: number | undefined; readonly idleMs: number } =
    {
      maxAgents: 4,
      maxBytes: undefined,
      idleMs,
    };
  /** What the next lease is to be held against. */
  #expected: { readonly agent: ModelAgent; readonly isNew: boolean } | undefined;

  constructor(seed: number, bench: CacheBench, template: Session) {
    this.#random = new RandomNumbers(seed);
    this.#bench = bench;
    this.#sessions = Array.from({ length: sessionCount }, (_, index) => ({
      ...template,
      id: `ses_${index}` as SessionId,
      settings: { model: String(index) },
    }));
    this.#cache = new AgentCache({
      plan: (session) => Promise.resolve(this.#plan(session)),
      endTask: () => Promise.resolve(),
      limits: () => this.#limits,
      clock: this.#clock,
      log: { write: () => undefined },
    });
    this.#model.bounds = { maxAgents: 4, maxByWeight: undefined };
  }

  /** One random operation, and a look whether all is as it should be. */
  async step(): Promise<void> {
    const name = this.#random.pick(operations);
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    await this.#operate(name);
    await this.#settle();
    this.#compare();
  }

  /** Ends everything that is open; afterwards nobody may be left over. */
  async finish(): Promise<void> {
    for (const building of this.#building.values()) building.end('built');
    await this.#settle();
    for (const { model, lease } of this.#held.splice(0)) this.#giveBack(model, lease);
    this.#cache.evictAll();
    this.#model.retireAll();
    await this.#settle();
    this.#compare();
    assert.equal(this.#agents.size, 0, 'every agent was let go of');
  }

  async #operate(name: Operation): Promise<void> {
    switch (name) {
      case 'lease':
        return await this.#lease(this.#random.below(sessionCount));
      case 'insert from many lanes':
        for (let count = this.#random.below(6); count > 0; count -= 1)
          await this.#lease(this.#random.below(sessionCount));
        return;
      case 'finish':
        return this.#finishOne();
      case 'finish all':
        for (const { model, lease } of this.#held.splice(0)) this.#giveBack(model, lease);
        return;
      case 'end a build':
      case 'fail a build':
        return this.#endBuild(name === 'end a build' ? 'built' : 'failed');
      case 'reset':
        return await this.#reset(this.#random.below(sessionCount));
      case 'change the settings':
        this.#versions[this.#random.below(sessionCount)]! += 1;
        return;
      case 'change the bounds':
        return this.#changeBounds();
      case 'fall back':
        return this.#fallBack();
      case 'evict all':
        this.#cache.evictAll();
        return this.#model.retireAll();
      case 'pass time':
        return this.#clock.advance(this.#random.below(idleMs));
      case 'sweep':
        assert.equal(this.#cache.sweepIdle(), this.#model.sweep(this.#clock.monotonic() - idleMs), 'swept');
    }
  }

  async #lease(index: number): Promise<void> {
    const session = this.#sessions[index] as Session;
    const signature = this.#signatureOf(session);
    const { agent: model, isNew } = this.#model.lease(session.id, signature);
    this.#expected = { agent: model, isNew };
    const leasing = this.#cache.lease(session);
    leasing.catch(() => undefined);
    await nothing();
    assert.equal(this.#expected, undefined, `${session.id} was ${isNew ? 'not ' : ''}built`);
    const building = this.#building.get(model);
    if (building) building.waiting.push(leasing);
    else this.#take(model, await leasing);
  }

  /** What the cache is told; that it builds exactly when the model says so is checked here and in `#lease`. */
  #plan(session: Session): AgentPlan {
    const expected = this.#expected;
    assert.ok(expected);
    if (!expected.isNew) this.#expected = undefined;
    const signature = this.#signatureOf(session);
    return {
      signature,
      build: (evict) => {
        assert.ok(this.#expected?.isNew === true, 'an agent was built that was there');
        this.#expected = undefined;
        this.#evict.set(expected.agent, evict);
        return this.#build(session, signature, expected.agent, evict);
      },
    };
  }

  #build(session: Session, signature: string, model: ModelAgent, evict: () => void): Promise<Agent> {
    const { promise, resolve, reject } = Promise.withResolvers<Agent>();
    const end = (how: 'built' | 'failed'): void => {
      this.#building.delete(model);
      if (how === 'built') {
        const agent = this.#createAgent(session, signature, model, evict);
        this.#model.built(model);
        resolve(agent);
        for (const waiting of building.waiting) void waiting.then((lease) => this.#take(model, lease));
      } else {
        this.#model.failed(model);
        reject(new Error('this build fails'));
        for (const _ of building.waiting) this.#model.giveBack(model);
      }
    };
    const building: Building = { model, end, waiting: [] };
    this.#building.set(model, building);
    return promise;
  }

  /** A real agent. That it is let go of is seen; in some cases its release never ends. */
  #createAgent(session: Session, signature: string, model: ModelAgent, evict: () => void): Agent {
    const prompt = { signature, system: 'You are a test.', tools: [] };
    const chain = [runtimeAt('http://127.0.0.1:1/v1', 'm')] as const;
    const remakePrompt = (): Promise<typeof prompt> => Promise.resolve(prompt);
    const makeup = { session, prompt, remakePrompt, chain, tools: new Map(), config, onFallback: evict };
    const agent = new Agent(makeup, this.#bench.parts);
    const release = agent.release.bind(agent);
    const neverEnds = this.#random.chance(0.2);
    agent.release = async () => {
      assert.ok(!this.#released.has(agent), 'let go of twice');
      assert.equal(model.leases, 0, 'let go of in the middle of a turn');
      this.#released.add(agent);
      await release();
      if (neverEnds) await Promise.withResolvers<never>().promise;
    };
    this.#agents.set(agent, model);
    return agent;
  }

  #take(model: ModelAgent, lease: AgentLease): void {
    assert.equal(this.#agents.get(lease.agent), model, 'the agent that was expected');
    assert.ok(!this.#released.has(lease.agent), 'an agent that was let go of serves');
    this.#held.push({ model, lease });
    if (this.#random.chance(0.9)) this.#beginTurn(model, lease);
  }

  #beginTurn(model: ModelAgent, { agent }: AgentLease): void {
    const { signal } = new AbortController();
    const turn = { sessionId: agent.sessionId, turnId: 'trn_1' as TurnId };
    agent.run(turn, {
      settings: {},
      takeLease: takeNoLease,
      settleWith: nothing,
      keepAnswer: nothing,
      signal,
      shutdown: signal,
      interruptDepth: 0,
    });
    model.activeAt = agent.activity.at;
  }

  #finishOne(): void {
    if (this.#held.length === 0) return;
    const [held] = this.#held.splice(this.#random.below(this.#held.length), 1);
    if (held) this.#giveBack(held.model, held.lease);
  }

  #giveBack(model: ModelAgent, lease: AgentLease): void {
    this.#model.giveBack(model);
    lease[Symbol.dispose]();
  }

  #endBuild(how: 'built' | 'failed'): void {
    const open = [...this.#building.values()];
    if (open.length > 0) this.#random.pick(open).end(how);
  }

  async #reset(index: number): Promise<void> {
    const session = this.#sessions[index] as Session;
    assert.equal(await this.#cache.close(session.id), this.#model.close(session.id), 'closed');
  }

  #changeBounds(): void {
    if (this.#agents.size === 0) return;
    const maxAgents = this.#random.chance(0.2) ? undefined : 1 + this.#random.below(6);
    const maxByWeight = this.#random.chance(0.6) ? undefined : this.#random.below(6);
    const maxBytes = maxByWeight === undefined ? undefined : maxByWeight * this.#weight();
    this.#limits = { maxAgents, maxBytes, idleMs };
    this.#model.bounds = { maxAgents, maxByWeight };
  }

  /** All agents weigh the same: none of them has a conversation. */
  #weight(): number {
    const [agent] = this.#agents.keys();
    return agent?.heldBytes ?? 0;
  }

  #fallBack(): void {
    if (this.#held.length === 0) return;
    const { model } = this.#random.pick(this.#held);
    this.#evict.get(model)?.();
    this.#model.retire(model);
  }

  #signatureOf({ settings, id }: Session): string {
    return `${id} ${this.#versions[Number(settings.model)]}`;
  }

  async #settle(): Promise<void> {
    for (let round = 0; round < 8; round += 1) await nothing();
  }

  #compare(): void {
    assert.deepEqual(
      this.#cache.sessions,
      this.#model.cached.map(({ session }) => session),
      'cached, least recently used first',
    );
    for (const [agent, model] of this.#agents) {
      const isOver = model.leases === 0 && this.#model.currentOf(model.session) !== model;
      assert.equal(this.#released.has(agent), isOver, isOver ? 'not let go of' : 'let go of too early');
      if (isOver) this.#forget(agent, model);
    }
  }

  /** What is over is not looked at again, or the test would get slower and slower. */
  #forget(agent: Agent, model: ModelAgent): void {
    this.#agents.delete(agent);
    this.#released.delete(agent);
    this.#evict.delete(model);
  }
}

const operations = [
  'lease',
  'lease',
  'lease',
  'insert from many lanes',
  'finish',
  'finish',
  'finish all',
  'end a build',
  'end a build',
  'end a build',
  'fail a build',
  'reset',
  'change the settings',
  'change the bounds',
  'fall back',
  'evict all',
  'pass time',
  'sweep',
] as const;

type Operation = (typeof operations)[number];

export const operationKinds: ReadonlySet<string> = new Set(operations);

function nothing(): Promise<void> {
  return Promise.resolve();
}

/** Runs so many operations, a few thousand on each seed, and says how often each of them was. */
export async function checkCache(count: number, seed: number, bench: CacheBench): Promise<ReadonlyMap<string, number>> {
  const template = await bench.session('template');
  const counts = new Map<string, number>();
  const perSeed = 1000;
  for (let done = 0; done < count; done += perSeed) {
    const own = seed + done / perSeed;
    const cache = new RandomCache(own, bench, template);
    try {
      for (let step = 0; step < perSeed; step += 1) await cache.step();
      await cache.finish();
    } catch (thrown) {
      throw new Error(`seed ${own}`, { cause: thrown });
    }
    for (const [name, times] of cache.counts) counts.set(name, (counts.get(name) ?? 0) + times);
    // The rest of the program gets its turn, too.
    await nextTick();
  }
  return counts;
}

function takeNoLease(): Promise<Fence> {
  return Promise.resolve({ lease: '', epoch: 1 });
}

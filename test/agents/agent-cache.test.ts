import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { AgentCache } from '../../src/agents/agent-cache.ts';
import type { Agent } from '../../src/agents/agent.ts';
import type { AgentParts } from '../../src/agents/agent.ts';
import { planAgent } from '../../src/agents/build-agent.ts';
import { systemClock } from '../../src/base/clock.ts';
import { newId } from '../../src/base/ids.ts';
import type { PersonId, SessionId } from '../../src/base/ids.ts';
import { silentLog } from '../../src/base/log.ts';
import { withDefaults } from '../../src/model/config.ts';
import type { UserConfig } from '../../src/model/config-schema.ts';
import { textPart } from '../../src/model/message.ts';
import type { Session } from '../../src/model/session.ts';
import type { Store } from '../../src/model/store.ts';
import { createCatalogue } from '../../src/providers/catalogue.ts';
import { connectRuntime } from '../../src/providers/connect-runtime.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-store.ts';
import { CoolDowns } from '../../src/turn/cool-downs.ts';
import { says } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { openTestHouse } from '../support/test-house.ts';
import { runtimeAt } from './agent-bench.ts';

const person = 'owner' as PersonId;
// What never happens fails its test instead of hanging it.
const patienceMs = 20_000;
const config = withDefaults({} as UserConfig);

interface CacheBench extends AsyncDisposable {
  readonly cache: AgentCache;
  /** What happened: agents built, clients closed, tasks ended. */
  readonly notes: readonly string[];
  whenNoted(text: string): Promise<void>;
  /** Set to make the next builds fail. */
  fault: Error | undefined;
  session(chat: string, model?: string): Promise<Session>;
  /** Runs one turn to its end. */
  run(agent: Agent): Promise<void>;
}

/** The cache with real agents on a real store, each asking the model that its session is set to. */
async function openCacheBench(): Promise<CacheBench> {
  const notes: string[] = [];
  const noted = new EventEmitter();
  const note = (text: string): void => {
    notes.push(text);
    noted.emit(text);
  };
  await using cleanup = new AsyncDisposableStack();
  const folder = cleanup.use(await makeTempFolder());
  const server = cleanup.use(await startModelServer(() => says('Hello.')));
  const store = await openSqliteStore({ folder: join(folder.path, 'state'), clock: systemClock, log: silentLog });
  cleanup.defer(() => store.close());
  const parts = createParts(store, server.baseUrl, note);
  const cache = new AgentCache({
    async plan(session) {
      const { signature, build } = await planAgent(session, parts);
      const name = `${session.address.chat} ${session.settings.model ?? 'first'}`;
      return { signature, build: () => (note(`build ${name}`), bench.fault ? Promise.reject(bench.fault) : build()) };
    },
    endTask: (sessionId) => parts.toolbox.endTask(sessionId),
    onError: (thrown) => note(String(thrown)),
  });
  cleanup.defer(() => cache.releaseAll());
  const kept = cleanup.move();
  const bench: CacheBench = {
    cache,
    notes,
    async whenNoted(text) {
      if (!notes.includes(text)) await once(noted, text, { signal: AbortSignal.timeout(patienceMs) });
    },
    fault: undefined,
    async session(chat, model) {
      const address = { platform: 'terminal', account: 'local', chat, thread: '' };
      const { id } = await store.sessions.at({ address, person, workdir: folder.path });
      if (model !== undefined) await store.sessions.configure(id, { model });
      return (await store.sessions.get(id)) as Session;
    },
    run: (agent) => runOneTurn(agent, store, parts),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
  return bench;
}

function createParts(store: Store, baseUrl: string, note: (text: string) => void): AgentParts {
  const endTask = async (sessionId: SessionId): Promise<void> =>
    note(`end task ${(await store.sessions.get(sessionId))?.address.chat}`);
  return {
    store,
    toolbox: { generation: 1, tools: new Map(), endTask },
    approvals: { ask: () => Promise.resolve({ verdict: 'denied', by: null }) },
    models: {
      chainFor: ({ model = 'first' }) => Promise.resolve([runtimeAt(baseUrl, model)]),
      effortFor: () => undefined,
      find: () => Promise.resolve({ type: 'unusable', problem: 'no other model is known here' }),
    },
    async connect(runtime) {
      const provider = await connectRuntime(runtime);
      return { ...provider, close: () => provider.close().then(() => note(`close ${runtime.model}`)) };
    },
    owner: newId('node', Date.now()),
    limits: config.agent,
    maxOutputTokens: undefined,
    coolDowns: new CoolDowns(),
    moneyLimits: config.limits,
    compaction: config.compaction,
    catalogue: createCatalogue({ prices: {}, cacheLife: '5m', folder: tmpdir(), warn: note }),
    clock: systemClock,
    faults: undefined,
  };
}

async function runOneTurn(agent: Agent, store: Store, { owner }: AgentParts): Promise<void> {
  const turn = { sessionId: agent.sessionId, turnId: newId('turn', Date.now()) };
  await store.turns.append(turn, [{ type: 'turn.admitted', parts: [textPart('hello')], person }]);
  const grant = await store.leases.acquire('l', owner, 60_000);
  assert.ok(grant.type === 'held');
  const { signal } = new AbortController();
  const fence = { lease: 'l', epoch: grant.epoch };
  const run = agent.run(turn, { settings: {}, fence, settleWith: () => Promise.resolve(), signal, shutdown: signal });
  while ((await run.next()).done !== true);
}

test('L1 the second turn of a session is served by the same agent', async () => {
  await using bench = await openCacheBench();
  const session = await bench.session('a');
  let first: Agent;
  {
    using lease = await bench.cache.lease(session);
    first = lease.agent;
    await bench.run(lease.agent);
  }

  using second = await bench.cache.lease(await bench.session('a'));
  await bench.run(second.agent);

  assert.equal(second.agent, first);
  assert.deepEqual(bench.notes, ['build a first']);
});

test('L1 a terminal session is served by one agent over all its turns', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });

  for (const text of ['one', 'two', 'three']) await house.say(text);

  // Every agent has connections of its own.
  assert.deepEqual(
    house.server.requests.map(({ connection }) => connection),
    [1, 1, 1],
  );
});

test('two leases at once share one build', async () => {
  await using bench = await openCacheBench();
  const session = await bench.session('a');

  const [left, right] = await Promise.all([bench.cache.lease(session), bench.cache.lease(session)]);

  assert.equal(left.agent, right.agent);
  assert.deepEqual(bench.notes, ['build a first']);
  left[Symbol.dispose]();
  right[Symbol.dispose]();
});

test('a session that is to ask another model gets another agent, and the one before lets go of its client; the task stays', async () => {
  await using bench = await openCacheBench();
  {
    using lease = await bench.cache.lease(await bench.session('a'));
    await bench.run(lease.agent);
  }

  using _second = await bench.cache.lease(await bench.session('a', 'second'));
  await bench.whenNoted('close first');

  assert.deepEqual(bench.notes, ['build a first', 'build a second', 'close first']);
});

test('an agent that was replaced while a turn ran on it is let go of when its last lease ends, not before', async () => {
  await using bench = await openCacheBench();
  const held = await bench.cache.lease(await bench.session('a'));
  const shared = await bench.cache.lease(await bench.session('a'));
  await bench.run(held.agent);

  using _replacing = await bench.cache.lease(await bench.session('a', 'second'));
  held[Symbol.dispose]();
  await bench.run(shared.agent);
  const whileLeased = [...bench.notes];
  const closing = await bench.cache.close(shared.agent.sessionId);
  shared[Symbol.dispose]();
  await bench.whenNoted('close first');

  assert.deepEqual(whileLeased, ['build a first', 'build a second']);
  assert.equal(closing, 'in-use');
  assert.deepEqual(bench.notes, ['build a first', 'build a second', 'close first']);
});

test('a build that failed is tried again for the next turn', async () => {
  await using bench = await openCacheBench();
  const session = await bench.session('a');
  bench.fault = new Error('no room');

  await assert.rejects(bench.cache.lease(session), { message: 'no room' });
  bench.fault = undefined;
  using lease = await bench.cache.lease(session);

  assert.equal(lease.agent.sessionId, session.id);
  assert.deepEqual(bench.notes, ['build a first', 'build a first']);
});

test('L4 closing one session leaves every other cached', async () => {
  await using bench = await openCacheBench();
  const [gone, kept] = [await bench.session('gone'), await bench.session('kept')];
  for (const session of [gone, kept]) {
    using lease = await bench.cache.lease(session);
    await bench.run(lease.agent);
  }

  const closing = await bench.cache.close(gone.id);
  using _kept = await bench.cache.lease(kept);

  assert.equal(closing, 'closed');
  assert.deepEqual(bench.notes, ['build gone first', 'build kept first', 'close first', 'end task gone']);
});

test('after all agents were let go of, a session that is closed still ends its task', async () => {
  await using bench = await openCacheBench();
  const session = await bench.session('a');
  {
    using lease = await bench.cache.lease(session);
    await bench.run(lease.agent);
  }

  bench.cache.evictAll();
  await bench.cache.close(session.id);
  await bench.cache.releaseAll();

  assert.deepEqual(bench.notes.toSorted(), ['build a first', 'close first', 'end task a']);
});

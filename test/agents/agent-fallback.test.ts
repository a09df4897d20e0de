import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Agent } from '../../src/agents/agent.ts';
import type { AgentParts } from '../../src/agents/agent.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { Clock } from '../../src/base/clock.ts';
import { newId } from '../../src/base/ids.ts';
import type { NodeId, PersonId } from '../../src/base/ids.ts';
import { silentLog } from '../../src/base/log.ts';
import { textPart } from '../../src/model/message.ts';
import { nameRuntime } from '../../src/model/runtime.ts';
import type { Runtime, RuntimeChain } from '../../src/model/runtime.ts';
import type { Store } from '../../src/model/store.ts';
import { connectRuntime } from '../../src/providers/connect-runtime.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-store.ts';
import { CoolDowns } from '../../src/turn/cool-downs.ts';
import type { TurnEnd } from '../../src/turn/run-turn.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { says } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const person = 'owner' as PersonId;

function runtimeAt(baseUrl: string, model: string): Runtime {
  return {
    name: nameRuntime('custom', model),
    vendor: 'custom',
    model,
    baseUrl,
    apiMode: 'chat_completions',
    credential: { type: 'none' },
    place: 'local',
    route: 'direct',
    window: undefined,
    cacheLife: '5m',
  };
}

interface AgentBench extends AsyncDisposable {
  readonly notes: readonly string[];
  /** Runs one turn to its end. */
  run(): Promise<TurnEnd>;
}

interface BenchOptions {
  readonly chain: RuntimeChain;
  readonly clock: Clock;
  /** The model whose client cannot be built. */
  readonly locked?: string;
}

/** An agent on a real store whose clients are real, and are noted as they are built and closed. */
async function openAgentBench({ chain, clock, locked }: BenchOptions): Promise<AgentBench> {
  const notes: string[] = [];
  await using cleanup = new AsyncDisposableStack();
  const folder = cleanup.use(await makeTempFolder());
  const store = await openSqliteStore({ folder: join(folder.path, 'state'), clock: systemClock, log: silentLog });
  cleanup.defer(() => store.close());
  const address = { platform: 'terminal', account: 'local', chat: 'c', thread: '' };
  const session = await store.sessions.at({ address, person, workdir: folder.path });
  const owner = newId('node', Date.now());
  const parts: AgentParts = {
    store,
    toolbox: { generation: 1, tools: new Map(), endTask: () => Promise.resolve() },
    approvals: { ask: () => Promise.resolve({ verdict: 'denied', by: null }) },
    chain,
    async connect(runtime) {
      if (runtime.model === locked) throw new Error('the key is locked away');
      notes.push(`build ${runtime.model}`);
      const provider = await connectRuntime(runtime);
      return { ...provider, close: () => provider.close().then(() => void notes.push(`close ${runtime.model}`)) };
    },
    owner,
    limits: { maxSteps: 5 },
    maxOutputTokens: undefined,
    coolDowns: new CoolDowns(),
    clock,
    effort: undefined,
    faults: undefined,
  };
  const agent = new Agent(session, { signature: 's', system: 'You are a test.', tools: [] }, parts);
  cleanup.defer(() => agent.release());
  const kept = cleanup.move();
  return { notes, run: () => runOneTurn(agent, store, owner), [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

async function runOneTurn(agent: Agent, store: Store, owner: NodeId): Promise<TurnEnd> {
  const turn = { sessionId: agent.sessionId, turnId: newId('turn', Date.now()) };
  await store.turns.append(turn, [{ type: 'turn.admitted', parts: [textPart('hello')], person }]);
  const grant = await store.leases.acquire('l', owner, 60_000);
  assert.ok(grant.type === 'held');
  const run = agent.run(turn, {
    fence: { lease: 'l', epoch: grant.epoch },
    settleWith: () => Promise.resolve(),
    signal: new AbortController().signal,
    shutdown: new AbortController().signal,
  });
  for (;;) {
    const next = await run.next();
    if (next.done === true) return next.value;
  }
}

test('F10 a turn whose primary client cannot be built is still answered, by a fallback', async () => {
  await using server = await startModelServer(() => says('stand-in'));
  const chain = [runtimeAt(server.baseUrl, 'first'), runtimeAt(server.baseUrl, 'second')] as const;
  await using bench = await openAgentBench({ chain, clock: systemClock, locked: 'first' });

  const end = await bench.run();

  assert.deepEqual(end, { type: 'replied', text: 'stand-in', ending: 'complete' });
  assert.deepEqual(
    server.requests.map(({ json }) => json?.['model']),
    ['second'],
  );
});

test('T1 the one recovery closes the client and builds another, after one wait', async () => {
  const clock = new ManualClock();
  await using server = await startModelServer(() => says('stand-in'));
  const chain = [runtimeAt('http://127.0.0.1:1/v1', 'gone'), runtimeAt(server.baseUrl, 'second')] as const;
  await using bench = await openAgentBench({ chain, clock });

  const run = bench.run();
  for (const waitMs of [1000, 2000, 4000, 6000]) {
    await clock.whenSomeoneSleeps();
    clock.advance(waitMs);
  }
  const end = await run;

  assert.deepEqual(end, { type: 'replied', text: 'stand-in', ending: 'complete' });
  assert.deepEqual(bench.notes, ['build gone', 'close gone', 'build gone', 'build second']);
});

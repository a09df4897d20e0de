import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Agent } from '../../src/agents/agent.ts';
import type { AgentParts } from '../../src/agents/agent.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { Clock } from '../../src/base/clock.ts';
import { newId } from '../../src/base/ids.ts';
import type { NodeId, PersonId } from '../../src/base/ids.ts';
import { silentLog } from '../../src/base/log.ts';
import { withDefaults } from '../../src/model/config.ts';
import type { UserConfig } from '../../src/model/config-schema.ts';
import type { Config } from '../../src/model/config.ts';
import { textPart } from '../../src/model/message.ts';
import { nameRuntime } from '../../src/model/runtime.ts';
import type { Runtime, RuntimeChain } from '../../src/model/runtime.ts';
import type { FrozenPrompt } from '../../src/model/session.ts';
import type { Store } from '../../src/model/store.ts';
import type { StepEvent, TurnEntry } from '../../src/model/turn.ts';
import { createCatalogue } from '../../src/providers/catalogue.ts';
import { connectRuntime } from '../../src/providers/connect-runtime.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-store.ts';
import { CoolDowns } from '../../src/turn/cool-downs.ts';
import type { TurnEnd } from '../../src/turn/run-turn.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const person = 'owner' as PersonId;

export function runtimeAt(baseUrl: string, model: string, changes: Partial<Runtime> = {}): Runtime {
  return {
    name: nameRuntime('custom', model),
    vendor: 'custom',
    model,
    baseUrl,
    apiMode: 'chat_completions',
    credential: { type: 'none' },
    keyName: undefined,
    place: 'local',
    route: 'direct',
    window: undefined,
    cacheLife: '5m',
    ...changes,
  };
}

/** The key that the runtimes of a bench carry under a name. */
export function keyed(keyName: string): Pick<Runtime, 'keyName' | 'credential'> {
  return { keyName, credential: { type: 'key', reveal: () => `key in ${keyName}` } };
}

/** The prompt of a bench is its own. */
const noSources: AgentParts['sources'] = {
  trustedAround: () => [],
  read: () => Promise.reject(new Error('nobody wrote anything here')),
};
const remakePrompt = (earlier: FrozenPrompt): Promise<FrozenPrompt> => Promise.resolve(earlier);

export interface AgentBench extends AsyncDisposable {
  readonly store: Store;
  /** Which clients were built and closed. */
  readonly notes: readonly string[];
  /** What the user was told. */
  readonly notices: readonly string[];
  /** Runs one turn to its end. */
  run(): Promise<TurnEnd>;
  log(): Promise<readonly TurnEntry[]>;
}

export interface BenchOptions {
  readonly chain: RuntimeChain;
  readonly clock: Clock;
  /** The clock of a runtime's connections, where it is not the same. */
  readonly network?: (runtime: Runtime) => Clock;
  /** The model whose client cannot be built. */
  readonly locked?: string;
  readonly compaction?: Partial<Config['compaction']>;
}

const emptyToolbox: AgentParts['toolbox'] = {
  generation: 1,
  tools: new Map(),
  endTask: () => Promise.resolve(),
  unheardNews: () => [],
};

const nobodyToAsk: Pick<AgentParts, 'approvals' | 'questions'> = {
  approvals: { ask: () => Promise.resolve({ verdict: 'denied', by: null }) },
  questions: { ask: () => Promise.resolve({ type: 'nobody' }) },
};

/** An agent on a real store whose clients are real, and are noted as they are built and closed. */
export async function openAgentBench(options: BenchOptions): Promise<AgentBench> {
  const { chain, clock, locked, compaction, network = () => clock } = options;
  const notes: string[] = [];
  const notices: string[] = [];
  const config = benchConfig(compaction);
  await using cleanup = new AsyncDisposableStack();
  const folder = cleanup.use(await makeTempFolder());
  const store = await openSqliteStore({ folder: join(folder.path, 'state'), clock: systemClock, log: silentLog });
  cleanup.defer(() => store.close());
  const address = { platform: 'terminal', account: 'local', chat: 'c', thread: '' };
  const session = await store.sessions.at({ address, person, workdir: folder.path });
  const owner = newId('node', Date.now());
  const parts: AgentParts = {
    store,
    toolbox: emptyToolbox,
    ...nobodyToAsk,
    models: {
      chainFor: () => Promise.resolve(chain),
      effortFor: () => undefined,
      find: () => Promise.resolve({ type: 'unusable', problem: 'the bench has no other models' }),
    },
    async connect(runtime) {
      if (runtime.model === locked) throw new Error('the key is locked away');
      notes.push(`build ${runtime.model}`);
      const provider = await connectRuntime(runtime, network(runtime));
      return { ...provider, close: () => provider.close().then(() => void notes.push(`close ${runtime.model}`)) };
    },
    owner,
    settings: { current: { config, user: null } },
    sources: noSources,
    coolDowns: new CoolDowns(),
    catalogue: createCatalogue({ prices: {}, cacheLife: '5m', folder: folder.path, warn: (text) => notes.push(text) }),
    clock,
    faults: undefined,
  };
  const prompt = { signature: 's', system: 'You are a test.', tools: [] };
  const makeup = {
    session,
    prompt,
    remakePrompt,
    chain,
    tools: parts.toolbox.tools,
    config,
    onFallback: () => undefined,
  };
  const agent = new Agent(makeup, parts);
  cleanup.defer(() => agent.release());
  const kept = cleanup.move();
  const watch = (event: StepEvent): void => {
    if (event.type === 'notice') notices.push(event.text);
  };
  return {
    store,
    notes,
    notices,
    run: () => runOneTurn(agent, store, owner, watch),
    log: async () => (await store.turns.after(session.id, 0)).map(({ entry }) => entry),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function benchConfig(compaction: BenchOptions['compaction']): Config {
  const defaults = withDefaults({} as UserConfig);
  return {
    ...defaults,
    agent: { ...defaults.agent, maxSteps: 5 },
    compaction: { ...defaults.compaction, ...compaction },
  };
}

async function runOneTurn(
  agent: Agent,
  store: Store,
  owner: NodeId,
  watch: (event: StepEvent) => void,
): Promise<TurnEnd> {
  const turn = { sessionId: agent.sessionId, turnId: newId('turn', Date.now()) };
  await store.turns.append(turn, [{ type: 'turn.admitted', parts: [textPart('hello')], person }]);
  const grant = await store.leases.acquire('l', owner, 60_000);
  assert.ok(grant.type === 'held');
  const run = agent.run(turn, {
    settings: {},
    takeLease: () => Promise.resolve({ lease: 'l', epoch: grant.epoch }),
    settleWith: () => Promise.resolve(),
    keepAnswer: () => Promise.resolve(),
    signal: new AbortController().signal,
    shutdown: new AbortController().signal,
    interruptDepth: 0,
  });
  for (;;) {
    const next = await run.next();
    if (next.done === true) return next.value;
    watch(next.value);
  }
}

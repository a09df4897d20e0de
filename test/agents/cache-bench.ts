import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { AgentCache } from '../../src/agents/agent-cache.ts';
import type { Agent, AgentParts, TurnOptions } from '../../src/agents/agent.ts';
import { AgentPlanner } from '../../src/agents/agent-planner.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { Clock } from '../../src/base/clock.ts';
import { newId } from '../../src/base/ids.ts';
import type { PersonId } from '../../src/base/ids.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { silentLog } from '../../src/base/log.ts';
import type { Log } from '../../src/base/log.ts';
import { checkConfig } from '../../src/model/config.ts';
import type { AgentCacheSettings } from '../../src/model/config.ts';
import { textPart } from '../../src/model/message.ts';
import type { Provider } from '../../src/model/provider.ts';
import type { Runtime, RuntimeChain } from '../../src/model/runtime.ts';
import type { Address, Session } from '../../src/model/session.ts';
import type { SettingsState } from '../../src/model/settings.ts';
import type { Store } from '../../src/model/store.ts';
import type { StepEvent, TurnRef } from '../../src/model/turn.ts';
import { createCatalogue } from '../../src/providers/catalogue.ts';
import { connectRuntime } from '../../src/providers/connect-runtime.ts';
import { TrustedFolders } from '../../src/store/home/trusted-folders.ts';
import { openHome } from '../../src/store/home/home-folder.ts';
import type { HomeFolder } from '../../src/store/home/home-folder.ts';
import { FilePromptSources } from '../../src/store/prompt/prompt-sources.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-store.ts';
import { Checkpoints } from '../../src/tools/checkpoints/checkpoints.ts';
import { noPostbox } from '../support/no-postbox.ts';
import { createToolbox } from '../../src/tools/create-toolbox.ts';
import type { ToolRegistry } from '../../src/tools/registry.ts';
import { CoolDowns } from '../../src/turn/cool-downs.ts';
import type { TurnEnd } from '../../src/turn/run-turn.ts';
import { says } from '../support/model-script.ts';
import type { ModelScript } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import type { ModelServer } from '../support/model-server.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { runtimeAt } from './agent-bench.ts';
import { withUsualSettings } from '../support/usual-settings.ts';

const person = 'owner' as PersonId;
const owner = newId('node', Date.now());
// What never happens fails its test instead of hanging it.
const patienceMs = 20_000;

export interface CacheBenchOptions {
  readonly limits?: Partial<AgentCacheSettings>;
  readonly clock?: Clock;
  readonly script?: ModelScript;
  /** Who stands in behind the model of a session. */
  readonly fallback?: (origin: string) => readonly Runtime[];
  readonly platform?: string;
  /** A host that the browser may open; left out: there is no browser. */
  readonly browserHost?: string;
}

export interface BenchTurn extends Partial<Pick<TurnOptions, 'interruptDepth' | 'signal' | 'settleWith'>> {
  readonly text?: string;
  readonly onEvent?: (event: StepEvent) => void;
}

/** The cache with real agents on a real store. Each session asks a model that is named like its chat. */
export async function openCacheBench(options: CacheBenchOptions = {}): Promise<CacheBench> {
  await using cleanup = new AsyncDisposableStack();
  const folder = cleanup.use(await makeTempFolder());
  const server = cleanup.use(await startModelServer(options.script ?? (() => says('Hello.'))));
  const store = await openSqliteStore({ folder: join(folder.path, 'state'), clock: systemClock, log: silentLog });
  cleanup.defer(() => store.close());
  const home = await openHome({ TALARIA_HOME: join(folder.path, 'home') });
  const bench = new CacheBench({ folder: folder.path, home, server, store, cleanup: cleanup.move() }, options);
  return bench;
}

interface BenchGround {
  readonly folder: string;
  readonly home: HomeFolder;
  readonly server: ModelServer;
  readonly store: Store;
  readonly cleanup: AsyncDisposableStack;
}

export class CacheBench implements AsyncDisposable {
  readonly server: ModelServer;
  readonly store: Store;
  readonly folder: string;
  /** Where the files are that people write for the model. */
  readonly home: HomeFolder;
  readonly clock: Clock;
  readonly cache: AgentCache;
  /** What its agents are made with. */
  readonly parts: AgentParts;
  /** What happened: agents built, clients closed, tasks ended. */
  readonly notes: string[] = [];
  /** What the cache wrote into the log. */
  readonly logged: string[] = [];
  /** Every model client that was built. */
  readonly clients: WeakRef<Provider>[] = [];
  readonly settings: { current: SettingsState };
  /** Whose models the sessions ask. */
  vendor = 'custom';
  /** Raised where the list of tools changes. */
  generation = 1;
  /** Set to make the next builds fail. */
  fault: Error | undefined;
  readonly #options: CacheBenchOptions;
  readonly #cleanup: AsyncDisposableStack;
  readonly #noted = new EventEmitter();
  readonly #log: Log = { write: (level, message) => void this.logged.push(`${level}: ${message}`) };
  readonly #toolbox: ToolRegistry;
  readonly #chains = new Map<string, RuntimeChain>();
  #builds: Promise<unknown> = Promise.resolve();
  #closes: Promise<unknown> = Promise.resolve();
  #endings: Promise<unknown> = Promise.resolve();
  #letGo = (): void => undefined;

  constructor(ground: BenchGround, options: CacheBenchOptions) {
    this.server = ground.server;
    this.store = ground.store;
    this.folder = ground.folder;
    this.home = ground.home;
    this.#cleanup = ground.cleanup;
    this.#options = options;
    this.clock = options.clock ?? systemClock;
    const { browserHost } = options;
    this.settings = { current: readSettings(withUsualSettings({ browser: { allow_private: browserHost ?? [] } })) };
    this.#toolbox = createToolbox({
      taskFolder: join(ground.folder, 'tasks'),
      postbox: noPostbox,
      checkpoints: new Checkpoints({ taskFolder: join(ground.folder, 'tasks'), clock: systemClock }),
      homeFolder: ground.home.path,
      terminal: this.settings.current.config.terminal,
      environment: process.env,
      ...(browserHost !== undefined && {
        browser: {
          settings: () => this.settings.current.config.browser,
          redact: (text: string) => text,
          filesFolder: join(ground.folder, 'files'),
        },
      }),
      clock: systemClock,
    });
    ground.cleanup.use(this.#toolbox);
    this.parts = this.#createParts();
    const { parts } = this;
    const planner = new AgentPlanner(parts);
    this.cache = new AgentCache({
      plan: async (session) => {
        const { signature, build } = await planner.plan(session);
        return { signature, build: async (evict) => await this.#build(session, () => build(evict)) };
      },
      endTask: (sessionId) => parts.toolbox.endTask(sessionId),
      limits: () => ({ ...this.settings.current.config.agentCache, ...options.limits }),
      clock: this.clock,
      log: this.#log,
    });
  }

  /** The settings as if the user had written this. */
  configure(user: JsonObject): void {
    this.settings.current = readSettings(user);
  }

  async session(chat: string, model?: string): Promise<Session> {
    const { id, settings } = await this.store.sessions.at({
      address: this.address(chat),
      person,
      workdir: this.folder,
    });
    if (model !== undefined || settings.model === undefined) {
      await this.store.sessions.configure(id, { ...settings, model: model ?? chat });
    }
    return (await this.store.sessions.get(id)) as Session;
  }

  address(chat: string): Address {
    return { platform: this.#options.platform ?? 'telegram', account: 'local', chat, thread: '' };
  }

  /** One message of a chat from beginning to end; returns the agent that served it. */
  async say(chat: string, turn: BenchTurn = {}): Promise<Agent> {
    using lease = await this.cache.lease(await this.session(chat));
    await this.run(lease.agent, turn);
    return lease.agent;
  }

  /** Runs one turn to its end. */
  async run(agent: Agent, turn: BenchTurn = {}): Promise<TurnEnd> {
    const run = await this.begin(agent, turn);
    for (;;) {
      const next = await run.next();
      if (next.done === true) return next.value;
      turn.onEvent?.(next.value);
    }
  }

  /** Begins a turn. It runs once someone asks for its first event. */
  async begin(agent: Agent, turn: BenchTurn = {}): Promise<ReturnType<Agent['run']>> {
    const ref: TurnRef = { sessionId: agent.sessionId, turnId: newId('turn', Date.now()) };
    const parts = [textPart(turn.text ?? 'hello')];
    await this.store.turns.append(ref, [{ type: 'turn.admitted', parts, person }]);
    const grant = await this.store.leases.acquire('bench', owner, 600_000);
    assert.ok(grant.type === 'held');
    return agent.run(ref, {
      settings: {},
      takeLease: () => Promise.resolve({ lease: 'bench', epoch: grant.epoch }),
      settleWith: turn.settleWith ?? (() => Promise.resolve()),
      keepAnswer: () => Promise.resolve(),
      signal: turn.signal ?? new AbortController().signal,
      shutdown: new AbortController().signal,
      interruptDepth: turn.interruptDepth ?? 0,
    });
  }

  /** The chats whose agents are cached, least recently used first. */
  async cached(): Promise<readonly string[]> {
    const sessions = this.cache.sessions.map((id) => this.store.sessions.get(id));
    return (await Promise.all(sessions)).map((session) => session?.address.chat ?? 'gone');
  }

  async whenNoted(text: string): Promise<void> {
    if (!this.notes.includes(text)) await once(this.#noted, text, { signal: AbortSignal.timeout(patienceMs) });
  }

  /** From now on no build ends until the gate opens. */
  holdBuilds(gate: Promise<unknown>): void {
    this.#builds = gate;
  }

  /** From now on no task ends until the gate opens. */
  holdEndings(gate: Promise<unknown>): void {
    this.#endings = gate;
  }

  /** From now on no client that is told to close ever does; the bench sees to it at the end. */
  holdReleases(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#closes = promise;
    this.#letGo = resolve;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#letGo();
    await this.cache.releaseAll();
    await this.#cleanup.disposeAsync();
  }

  async #build(session: Session, build: () => Promise<Agent>): Promise<Agent> {
    this.#note(`build ${session.address.chat}`);
    await this.#builds;
    if (this.fault) throw this.fault;
    return await build();
  }

  #note(text: string): void {
    this.notes.push(text);
    this.#noted.emit(text);
  }

  /** The same object for the same models, as in the program: plans are told apart by it. */
  #chainFor(model: string): RuntimeChain {
    const { origin, baseUrl } = this.server;
    const name = `${this.vendor}:${model}`;
    const chain = this.#chains.get(name) ?? [
      runtimeAt(baseUrl, model, { vendor: this.vendor }),
      ...(this.#options.fallback?.(origin) ?? []),
    ];
    this.#chains.set(name, chain);
    return chain;
  }

  #createParts(): AgentParts {
    const { store, clock, folder } = this;
    const toolbox = this.#toolbox;
    const endings = (): Promise<unknown> => this.#endings;
    const generation = (): number => this.generation;
    const note = (text: string): void => this.#note(text);
    return {
      store,
      toolbox: {
        get generation() {
          return generation();
        },
        tools: toolbox.tools,
        async endTask(sessionId) {
          note(`end task ${(await store.sessions.get(sessionId))?.address.chat}`);
          await endings();
          await toolbox.endTask(sessionId);
        },
        unheardNews: (sessionId) => toolbox.unheardNews(sessionId),
      },
      approvals: { ask: () => Promise.resolve({ verdict: 'approved', by: person }) },
      questions: { ask: () => Promise.resolve({ type: 'nobody' }) },
      models: {
        chainFor: ({ model = 'first' }) => Promise.resolve(this.#chainFor(model)),
        effortFor: () => undefined,
        find: () => Promise.resolve({ type: 'unusable', problem: 'no other model is known here' }),
      },
      connect: async (runtime) => {
        const provider = await connectRuntime(runtime, clock);
        const client: Provider = {
          ...provider,
          close: async () => {
            await this.#closes;
            await provider.close();
            note(`close ${runtime.model}`);
          },
        };
        this.clients.push(new WeakRef(client));
        return client;
      },
      owner,
      settings: this.settings,
      sources: new FilePromptSources(this.home, new TrustedFolders(this.home.trustFile), this.#log),
      coolDowns: new CoolDowns(),
      catalogue: createCatalogue({ prices: {}, cacheLife: '5m', folder, warn: note }),
      clock,
      faults: undefined,
    };
  }
}

function readSettings(user: JsonObject): SettingsState {
  const checked = checkConfig(user);
  assert.ok(checked.type === 'valid');
  return { config: checked.config, user };
}

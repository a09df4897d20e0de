import { AgentCache } from './agents/agent-cache.ts';
import { planAgent } from './agents/build-agent.ts';
import { Models } from './agents/models.ts';
import type { DefaultChange, ModelsFound, ModelWishes } from './agents/models.ts';
import type { Clock } from './base/clock.ts';
import { describeError } from './base/errors.ts';
import { newId } from './base/ids.ts';
import type { SessionId } from './base/ids.ts';
import { createLog } from './base/log.ts';
import type { Log } from './base/log.ts';
import { createRedactor } from './base/redact.ts';
import { createTerminalChannel } from './channels/terminal.ts';
import type { TerminalSeat } from './channels/terminal.ts';
import type { ModelDesk } from './cli/app-port.ts';
import { Gateway } from './gateway/gateway.ts';
import type { Approvals } from './model/approvals.ts';
import type { Catalogue } from './model/catalogue.ts';
import type { Config, ModelChoice } from './model/config.ts';
import type { Faults } from './model/faults.ts';
import { readDefaultModel } from './model/model-name.ts';
import type { Provider } from './model/provider.ts';
import type { Runtime } from './model/runtime.ts';
import type { SessionSettings } from './model/session.ts';
import type { Store } from './model/store.ts';
import type { Toolbox } from './model/tool.ts';
import { createCatalogue } from './providers/catalogue.ts';
import type { Refresh } from './providers/catalogue-refresh.ts';
import { InProcessSignals } from './store/in-process-signals.ts';
import { InProcessWake } from './store/in-process-wake.ts';
import type { SettingsChange } from './store/home/change-settings.ts';
import { changeConfig, loadConfig } from './store/home/config-file.ts';
import type { LoadedConfig } from './store/home/config-file.ts';
import { loadSecrets } from './store/home/env-file.ts';
import type { Secrets } from './store/home/env-file.ts';
import { openHome } from './store/home/home-folder.ts';
import type { HomeFolder } from './store/home/home-folder.ts';
import { createLogFile } from './store/home/log-file.ts';
import { openSqliteStore } from './store/sqlite/open-store.ts';
import { CoolDowns } from './turn/cool-downs.ts';
import { createToolbox } from './tools/create-toolbox.ts';

/** What the program finds around it; a test brings its own. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly faults: Faults | undefined;
}

export type AppOptions =
  /** Before anything can be chosen, sessions past their retention are forgotten. */
  | { readonly purpose: 'serve'; readonly model: string | undefined }
  /** To look something up: changes nothing by itself. */
  | { readonly purpose: 'look' };

const dayMs = 24 * 60 * 60 * 1000;
const longestCheckMs = 120_000;

type Seat = Omit<TerminalSeat, 'newMessageId'>;

/** Opens the home, its settings and its store. The one place where concrete things are chosen and put together. */
export async function openApp(options: AppOptions, { env, clock, faults }: Surroundings): Promise<App> {
  const home = await openHome(env);
  const secrets = await loadSecrets(home, env);
  const settings = await loadConfig(home);
  const { config } = settings;
  const forThisRun = options.purpose === 'serve' ? options.model : undefined;
  const models = createModels({ home, secrets, config, forThisRun });
  const log = createLog(createLogFile(home.logs), () => clock.now(), createRedactor(secrets.values()));
  const store = await openSqliteStore({ folder: home.state, clock, log });
  const toolbox = createToolbox({
    taskFolder: home.tasks,
    homeFolder: home.path,
    terminal: config.terminal,
    environment: env,
    clock,
  });
  const warnings = [...secrets.warnings, ...settings.warnings];
  const catalogue = createCatalogue({
    prices: config.prices,
    cacheLife: config.model.cacheLife,
    folder: home.cache,
    warn: (problem) => log.write('warn', problem),
  });
  const parts = { secrets, config, models, warnings, log, store, toolbox, catalogue, clock, faults };
  await using unlessOpened = new AsyncDisposableStack();
  const app = unlessOpened.use(new App(parts));
  if (options.purpose === 'serve') await forgetOldSessions(parts);
  unlessOpened.move();
  return app;
}

/** The settings alone, without opening the store: they can be looked at while the program runs elsewhere. */
export async function readSettings(env: Surroundings['env']): Promise<LoadedConfig> {
  return await loadConfig(await openHome(env));
}

/** What of the models in the settings cannot be used, as far as the settings and the keys tell. Nobody is asked. */
export async function checkModels(env: Surroundings['env']): Promise<ModelReport> {
  const home = await openHome(env);
  const secrets = await loadSecrets(home, env);
  const { config } = await loadConfig(home);
  const { chooseChain } = await import('./providers/choose-runtime.ts');
  const { model: settings, fallback } = config;
  const primary = readDefaultModel(config, await providerNames());
  const unasked: string[] = [];
  const found = await chooseChain({
    config: primary,
    cacheLife: settings.cacheLife,
    fallback,
    secret: (name) => secrets.get(name),
    probeOllama(origin) {
      if (primary.provider !== undefined || primary.default !== undefined) unasked.push(origin);
      return Promise.resolve({ type: 'present', models: ['any'] });
    },
  });
  if (found.type === 'unusable') return { problem: found.problem, warnings: secrets.warnings };
  const doubts = unasked.map((origin) => `the model is up to the Ollama at ${origin}, which is not asked here`);
  return { problem: undefined, warnings: [...secrets.warnings, ...found.warnings, ...doubts] };
}

/** The models alone, without opening the store: they can be looked at and chosen while the program runs elsewhere. */
export async function openModels({ env, clock }: Pick<Surroundings, 'env' | 'clock'>): Promise<ModelDesk> {
  const home = await openHome(env);
  const secrets = await loadSecrets(home, env);
  const { config, warnings } = await loadConfig(home);
  const log = createLog(createLogFile(home.logs), () => clock.now(), createRedactor(secrets.values()));
  const catalogue = createCatalogue({
    prices: config.prices,
    cacheLife: config.model.cacheLife,
    folder: home.cache,
    warn: (problem) => log.write('warn', problem),
  });
  const { vendors } = await import('./providers/vendors.ts');
  const { effort, maxOutputTokens } = config.model;
  const checking = { connect: (runtime: Runtime) => connect(runtime, clock, secrets), clock, effort, maxOutputTokens };
  return {
    models: createModels({ home, secrets, config, forThisRun: undefined }),
    warnings: [...secrets.warnings, ...warnings],
    vendors: vendors.map(({ name, envKey }) => ({
      name,
      keyName: envKey,
      hasKey: envKey !== undefined && secrets.get(envKey) !== undefined,
    })),
    lookUp: async (runtime) => (await import('./agents/model-facts.ts')).lookUpFacts(runtime, catalogue, clock.now()),
    async check(runtime) {
      const { checkModel } = await import('./agents/check-model.ts');
      return await checkModel(runtime, checking, AbortSignal.timeout(longestCheckMs));
    },
  };
}

/** Fetches the newest prices and windows of models, for every later start. Works beside a running program. */
export async function refreshPrices({ env, clock }: Pick<Surroundings, 'env' | 'clock'>): Promise<Refresh> {
  const home = await openHome(env);
  const secrets = await loadSecrets(home, env);
  const { refreshCatalogue, downloadText } = await import('./providers/catalogue-refresh.ts');
  const { writeAtomically } = await import('./store/home/write-atomically.ts');
  return await refreshCatalogue({
    folder: home.cache,
    fetchText: (url) => downloadText(url, (name) => secrets.get(name), new AbortController().signal),
    write: writeAtomically,
    now: () => clock.now(),
  });
}

async function forgetOldSessions({ store, toolbox, config, clock }: AppParts): Promise<void> {
  const { retentionDays } = config.storage;
  if (retentionDays === 0) return;
  const forgotten = await store.prune(clock.now() - retentionDays * dayMs);
  for (const sessionId of forgotten) await toolbox.endTask(sessionId);
}

/** Why no chat could begin, if none could, and what else the user should know about the models of the settings. */
export interface ModelReport {
  readonly problem: string | undefined;
  readonly warnings: readonly string[];
}

/** A chat that is being served, and what its user should know about it. */
export interface Served {
  readonly gateway: Gateway;
  readonly model: { readonly name: string; readonly place: Runtime['place'] };
  readonly warnings: readonly string[];
}

interface AppParts {
  readonly secrets: Secrets;
  readonly config: Config;
  readonly models: Models;
  readonly warnings: readonly string[];
  readonly log: Log;
  readonly store: Store;
  readonly toolbox: Toolbox;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly faults: Faults | undefined;
}

/** The program, put together. Disposing of it leaves running turns unsettled, for the next start to go on with. */
export class App implements AsyncDisposable {
  readonly #parts: AppParts;
  readonly #closing = new AsyncDisposableStack();

  constructor(parts: AppParts) {
    this.#parts = parts;
    this.#closing.defer(() => parts.store.close());
  }

  get store(): Store {
    return this.#parts.store;
  }

  get warnings(): readonly string[] {
    return this.#parts.warnings;
  }

  get catalogue(): Catalogue {
    return this.#parts.catalogue;
  }

  /** Begins to serve one chat in a terminal, with the model that was chosen for the session there, if one was. */
  async serveTerminal(seat: Seat, settings: SessionSettings = {}): Promise<Served> {
    const { store, clock, log, faults, models, catalogue } = this.#parts;
    const { chain, warnings } = await models.require(settings);
    const channel = createTerminalChannel({ ...seat, newMessageId: () => newId('turn', clock.now()) });
    const owner = newId('node', clock.now());
    const gateway = new Gateway({
      store,
      wake: new InProcessWake(),
      signals: new InProcessSignals(),
      channels: [channel],
      owner,
      models,
      catalogue,
      openAgents: (approvals) => this.#openAgents(approvals, owner),
      clock,
      log,
      faults,
    });
    this.#closing.use(gateway);
    gateway.start();
    const [{ name, place }] = chain;
    return { gateway, model: { name, place }, warnings };
  }

  endTask(sessionId: SessionId): Promise<void> {
    return this.#parts.toolbox.endTask(sessionId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#closing.disposeAsync();
  }

  #openAgents(approvals: Approvals, owner: ReturnType<typeof newId<'node'>>): AgentCache {
    const { store, toolbox, config, models, secrets, log, clock, faults } = this.#parts;
    const parts = {
      store,
      toolbox,
      approvals,
      models,
      connect: (target: Runtime) => connect(target, clock, secrets),
      owner,
      limits: config.agent,
      maxOutputTokens: config.model.maxOutputTokens,
      moneyLimits: config.limits,
      compaction: config.compaction,
      catalogue: this.#parts.catalogue,
      coolDowns: new CoolDowns(),
      clock,
      faults,
    } as const;
    const agents = new AgentCache({
      plan: (session) => planAgent(session, parts),
      endTask: (sessionId) => toolbox.endTask(sessionId),
      onError: (thrown) => log.write('error', 'an agent was not let go of', { reason: describeError(thrown) }),
    });
    this.#closing.defer(() => agents.releaseAll());
    return agents;
  }
}

interface ModelSources {
  readonly home: HomeFolder;
  readonly secrets: Secrets;
  readonly config: Config;
  readonly forThisRun: string | undefined;
}

function createModels({ home, secrets, config, forThisRun }: ModelSources): Models {
  return new Models({
    config,
    forThisRun,
    providers: providerNames,
    find: (wishes) => findModels(wishes, secrets),
    save: (change) => saveDefault(change, home),
  });
}

async function providerNames(): Promise<readonly string[]> {
  const { vendors } = await import('./providers/vendors.ts');
  return [...vendors.map(({ name }) => name), 'custom', 'demo'];
}

async function findModels({ primary, fallback, settings }: ModelWishes, secrets: Secrets): Promise<ModelsFound> {
  const { chooseChain } = await import('./providers/choose-runtime.ts');
  const { probeOllama } = await import('./providers/probe-ollama.ts');
  const secret = (name: string): string | undefined => secrets.get(name);
  const found = await chooseChain({ config: primary, cacheLife: settings.cacheLife, fallback, secret, probeOllama });
  if (found.type === 'unusable' || !found.chain.some(({ vendor }) => vendor === 'ollama')) return found;
  const { noticeOllamaWindows } = await import('./providers/notice-ollama-window.ts');
  return await noticeOllamaWindows(found, secret);
}

async function saveDefault(change: DefaultChange, home: HomeFolder): Promise<Config> {
  const values = change.type === 'model' ? writtenChoice(change.choice) : { reasoning_effort: change.effort };
  return (await changeConfig(home, { section: 'model', values })).config;
}

/** What is not part of a choice leaves the file: an address or a key of one provider must not stay behind for another. */
function writtenChoice(choice: ModelChoice): SettingsChange['values'] {
  return {
    default: choice.default,
    provider: choice.provider,
    base_url: choice.baseUrl,
    api_mode: choice.apiMode,
    key_env: choice.keyEnv.length < 2 ? choice.keyEnv[0] : choice.keyEnv,
    context_length: choice.contextLength,
  };
}

async function connect(runtime: Runtime, clock: Clock, secrets: Secrets): Promise<Provider> {
  const { connectRuntime } = await import('./providers/connect-runtime.ts');
  return await connectRuntime(runtime, clock, (name) => secrets.get(name));
}

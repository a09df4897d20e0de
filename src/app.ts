import { AgentCache } from './agents/agent-cache.ts';
import { buildAgent } from './agents/build-agent.ts';
import type { Clock } from './base/clock.ts';
import { AppError } from './base/errors.ts';
import { newId } from './base/ids.ts';
import type { SessionId } from './base/ids.ts';
import { createLog } from './base/log.ts';
import type { Log } from './base/log.ts';
import { createRedactor } from './base/redact.ts';
import { createTerminalChannel } from './channels/terminal.ts';
import type { TerminalSeat } from './channels/terminal.ts';
import { Gateway } from './gateway/gateway.ts';
import type { Approvals } from './model/approvals.ts';
import type { Config } from './model/config.ts';
import type { Faults } from './model/faults.ts';
import type { Provider } from './model/provider.ts';
import type { Runtime, RuntimeChain } from './model/runtime.ts';
import type { Store } from './model/store.ts';
import type { Toolbox } from './model/tool.ts';
import { InProcessSignals } from './store/in-process-signals.ts';
import { InProcessWake } from './store/in-process-wake.ts';
import { loadConfig } from './store/home/config-file.ts';
import type { LoadedConfig } from './store/home/config-file.ts';
import { loadSecrets } from './store/home/env-file.ts';
import type { Secrets } from './store/home/env-file.ts';
import { openHome } from './store/home/home-folder.ts';
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

type Seat = Omit<TerminalSeat, 'newMessageId'>;

/** Opens the home, its settings and its store. The one place where concrete things are chosen and put together. */
export async function openApp(options: AppOptions, { env, clock, faults }: Surroundings): Promise<App> {
  const home = await openHome(env);
  const secrets = await loadSecrets(home, env);
  const settings = await loadConfig(home);
  const config = options.purpose === 'serve' ? withModel(settings.config, options.model) : settings.config;
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
  const parts = { secrets, config, warnings, log, store, toolbox, clock, faults };
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

function withModel(config: Config, model: string | undefined): Config {
  return model === undefined ? config : { ...config, model: { ...config.model, default: model } };
}

async function forgetOldSessions({ store, toolbox, config, clock }: AppParts): Promise<void> {
  const { retentionDays } = config.storage;
  if (retentionDays === 0) return;
  const forgotten = await store.prune(clock.now() - retentionDays * dayMs);
  for (const sessionId of forgotten) await toolbox.endTask(sessionId);
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
  readonly warnings: readonly string[];
  readonly log: Log;
  readonly store: Store;
  readonly toolbox: Toolbox;
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

  /** Begins to serve one chat in a terminal. */
  async serveTerminal(seat: Seat): Promise<Served> {
    const { store, clock, log, faults } = this.#parts;
    const { chain, warnings } = await this.#chooseChain();
    const channel = createTerminalChannel({ ...seat, newMessageId: () => newId('turn', clock.now()) });
    const owner = newId('node', clock.now());
    const gateway = new Gateway({
      store,
      wake: new InProcessWake(),
      signals: new InProcessSignals(),
      channels: [channel],
      owner,
      describeModel: () => chain.map(({ name }) => name).join(', then '),
      openAgents: (approvals) => this.#openAgents(approvals, chain, owner),
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

  #openAgents(approvals: Approvals, chain: RuntimeChain, owner: ReturnType<typeof newId<'node'>>): AgentCache {
    const { store, toolbox, config, clock, faults } = this.#parts;
    const parts = {
      store,
      toolbox,
      approvals,
      chain,
      connect: (target: Runtime) => connect(target, clock),
      owner,
      limits: config.agent,
      maxOutputTokens: config.model.maxOutputTokens,
      effort: config.model.effort,
      coolDowns: new CoolDowns(),
      clock,
      faults,
    } as const;
    const agents = new AgentCache((session) => buildAgent(session, parts));
    this.#closing.defer(() => agents.releaseAll());
    return agents;
  }

  async #chooseChain(): Promise<{ readonly chain: RuntimeChain; readonly warnings: readonly string[] }> {
    const { chooseChain } = await import('./providers/choose-runtime.ts');
    const { probeOllama } = await import('./providers/probe-ollama.ts');
    const { config, secrets } = this.#parts;
    const secret = (name: string): string | undefined => secrets.get(name);
    const choice = await chooseChain({
      config: config.model,
      cacheLife: config.model.cacheLife,
      fallback: config.fallback,
      secret,
      probeOllama,
    });
    if (choice.type === 'unusable') throw new AppError('no-model', choice.problem);
    return choice;
  }
}

async function connect(runtime: Runtime, clock: Clock): Promise<Provider> {
  const { connectRuntime } = await import('./providers/connect-runtime.ts');
  return await connectRuntime(runtime, clock);
}

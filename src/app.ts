import type { AgentParts } from './agents/agent.ts';
import { AgentPlanner } from './agents/agent-planner.ts';
import { AgentCache } from './agents/agent-cache.ts';
import { sweepIdleAgents } from './agents/sweep-idle.ts';
import { openLiveCatalogue } from './agents/live-catalogue.ts';
import { openChannels } from './app/channels.ts';
import { connect, createModels, createPrintedKeys, knownSecrets } from './app/models.ts';
import { createToolServers } from './app/tool-servers.ts';
import { describeIgnored } from './app/trust-note.ts';
import { openWebTools } from './app/web-tools.ts';
import type { AppParts } from './app/parts.ts';
import type { Clock } from './base/clock.ts';
import { newId } from './base/ids.ts';
import type { PersonId, SessionId } from './base/ids.ts';
import { createLog } from './base/log.ts';
import { createGrowingRedactor, createKeyRedactor } from './base/redact.ts';
import { createTerminalChannel } from './channels/terminal.ts';
import type { TerminalSeat } from './channels/terminal.ts';
import type { ServedChannels } from './cli/app-port.ts';
import { Gateway } from './gateway/gateway.ts';
import type { GatewayHost, GatewayStatus } from './gateway/gateway-status.ts';
import { backgroundAdvice } from './gateway/restart.ts';
import type { Restart } from './gateway/restart.ts';
import type { DeskAnswer, DeskRequest, WordForPeople } from './gateway/people-desk.ts';
import { ModelNews } from './gateway/model-news.ts';
import { OutboxPostbox } from './gateway/postbox.ts';
import type { Catalogue } from './model/catalogue.ts';
import type { Channel } from './model/channel.ts';
import { isConnected, isServing } from './model/channel-state.ts';
import type { NamedState } from './model/channel-state.ts';
import type { Faults } from './model/faults.ts';
import type { Runtime } from './model/runtime.ts';
import type { SessionSettings } from './model/session.ts';
import type { Store } from './model/store.ts';
import { createCatalogue } from './providers/catalogue.ts';
import { InProcessSignals } from './store/in-process-signals.ts';
import { InProcessWake } from './store/in-process-wake.ts';
import { loadConfig } from './store/home/config-file.ts';
import type { LoadedConfig } from './store/home/config-file.ts';
import { loadSecrets } from './store/home/env-file.ts';
import { openHome } from './store/home/home-folder.ts';
import { LiveSettings } from './store/home/live-settings.ts';
import { createLogFile } from './store/home/log-file.ts';
import { FileMcpLogins } from './store/home/mcp-logins.ts';
import { SessionFiles } from './store/home/session-files.ts';
import { FileStandingRules } from './store/home/standing-rules.ts';
import { TrustedFolders } from './store/home/trusted-folders.ts';
import { FileProjectServers } from './store/project/project-servers.ts';
import { FilePromptSources } from './store/prompt/prompt-sources.ts';
import { openSqliteStore } from './store/sqlite/open-store.ts';
import { CoolDowns } from './turn/cool-downs.ts';
import { Checkpoints } from './tools/checkpoints/checkpoints.ts';
import { createToolbox } from './tools/create-toolbox.ts';
import { createBackgroundDesk } from './tools/processes/background-desk.ts';

/** What the program finds around it; a test brings its own. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly faults: Faults | undefined;
}

export type AppOptions =
  /** Before anything can be chosen, sessions past their retention are forgotten. */
  | { readonly purpose: 'serve'; readonly model: string | undefined; readonly start?: 'usual' | 'safe' }
  /** To look something up, or to change what was asked for: changes nothing by itself. */
  | { readonly purpose: 'look' | 'change' };

const dayMs = 24 * 60 * 60 * 1000;

const unkept: Restart = { type: 'unkept', advise: () => Promise.resolve(backgroundAdvice) };
// Where the program itself does not say: a test, or a program around it.
const bareHost: GatewayHost = { version: '', keeper: 'nobody', restart: unkept };

type Seat = Omit<TerminalSeat, 'newMessageId'>;

/** Opens the home, its settings and its store. The one place where concrete things are chosen and put together. */
export async function openApp(options: AppOptions, { env, clock, faults }: Surroundings): Promise<App> {
  const home = await openHome(env);
  const secrets = await loadSecrets(home, env);
  const start = (options.purpose === 'serve' ? options.start : undefined) ?? 'usual';
  const settings = await LiveSettings.open(home, start);
  const { config } = settings.current;
  const forThisRun = options.purpose === 'serve' ? options.model : undefined;
  const keys = { secrets, printedKeys: createPrintedKeys(env, clock) };
  const models = createModels({ ...keys, settings, forThisRun, clock });
  const logins = new FileMcpLogins(home.mcpLogins);
  const secretsNow = (): readonly string[] => [...knownSecrets(keys), ...logins.secrets()];
  const redact = createGrowingRedactor(secretsNow);
  const keyRedact = createKeyRedactor(secretsNow);
  const log = createLog(createLogFile(home.logs), () => clock.now(), redact);
  const store = await openSqliteStore({ folder: home.state, clock, log });
  const checkpoints = new Checkpoints({ taskFolder: home.tasks, clock });
  const postbox = new OutboxPostbox({ store, settings, clock });
  const toolbox = createToolbox({
    checkpoints,
    postbox,
    taskFolder: home.tasks,
    homeFolder: home.path,
    terminal: config.terminal,
    environment: env,
    web: openWebTools(keys, () => settings.current.config.search),
    redact: keyRedact,
    browser: { settings: () => settings.current.config.browser, redact, filesFolder: home.files },
    clock,
  });
  const background = createBackgroundDesk({ taskFolder: home.tasks, redact: keyRedact });
  const warnings = [...secrets.warnings, ...settings.current.warnings];
  const warn = (problem: string): void => log.write('warn', problem);
  const catalogue = openLiveCatalogue(settings, ({ prices, model: { cacheLife } }) =>
    createCatalogue({ prices, cacheLife, folder: home.cache, warn }),
  );
  const files = new SessionFiles(home.files);
  const trusted = new TrustedFolders(home.trustFile);
  const sources = new FilePromptSources(home, trusted, log);
  const projects = new FileProjectServers(trusted);
  const found = { env, home, secrets, settings, models, files, sources, projects };
  const toolServers = createToolServers({ ...found, logins, toolbox, redact: keyRedact, start, clock, log });
  const modelNews = new ModelNews(settings);
  const made = { modelNews, warnings, log, store, toolbox, background, toolServers, checkpoints, postbox };
  const parts = { ...found, ...made, start, catalogue, clock, faults };
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

/** Asks the gateway that runs on this home; where none runs, the home itself is asked. */
export async function askGateway(request: DeskRequest, surroundings: Surroundings): Promise<DeskAnswer> {
  const { askPeopleDesk } = await import('./gateway/people-desk.ts');
  const answer = await askPeopleDesk((await openHome(surroundings.env)).state, request);
  if (answer !== undefined) return answer;
  await using app = await openApp({ purpose: 'look' }, surroundings);
  return await app.answerAtDesk(request);
}

async function forgetOldSessions({ store, toolbox, files, settings, clock }: AppParts): Promise<void> {
  const { retentionDays } = settings.current.config.storage;
  if (retentionDays === 0) return;
  const forgotten = await store.prune(clock.now() - retentionDays * dayMs);
  for (const sessionId of forgotten) {
    await toolbox.endTask(sessionId);
    await files.remove(sessionId);
  }
}

/** A chat that is being served, and what its user should know about it. */
export interface Served {
  readonly gateway: Gateway;
  readonly model: { readonly name: string; readonly place: Runtime['place'] };
  readonly warnings: readonly string[];
  readonly lost: Promise<never>;
  readonly isReachable: () => boolean;
}

/** The program, put together. Disposing of it leaves running turns unsettled, for the next start to go on with. */
export class App implements AsyncDisposable {
  readonly leftTurns = 'wait';
  readonly #parts: AppParts;
  readonly #closing = new AsyncDisposableStack();

  constructor(parts: AppParts) {
    this.#parts = parts;
    this.#closing.defer(() => parts.store.close());
    this.#closing.use(parts.toolbox);
    this.#closing.use(parts.toolServers);
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

  /** The home is this program's alone: whatever is unfinished when it is looked at was left by an earlier one. */
  unfinishedIn(): Promise<'left'> {
    return Promise.resolve('left');
  }

  /** Begins to serve one chat in a terminal, with the model that was chosen for the session there, if one was. */
  async serveTerminal(seat: Seat, settings: SessionSettings = {}): Promise<Served> {
    const { clock, log, models } = this.#parts;
    const { chain, warnings } = await models.require(settings);
    const channel = createTerminalChannel({ ...seat, newMessageId: () => newId('turn', clock.now()) });
    const gateway = this.#openGateway([channel], (line) => log.write('warn', line));
    gateway.start();
    await this.#keepSettings();
    const [{ name, place }] = chain;
    this.#parts.modelNews.note(seat.address, name, settings.model);
    const lost = new Promise<never>(() => undefined);
    const notes = [...warnings, ...describeIgnored(seat.workdir, this.#parts)];
    return { gateway, model: { name, place }, warnings: notes, lost, isReachable: () => true };
  }

  /** Begins to serve every channel of the settings, and goes on with what is unfinished there. */
  async serveChannels(report: (line: string) => void, host: GatewayHost = bareHost): Promise<ServedChannels> {
    const { home, models, settings } = this.#parts;
    const { checkSocketPath } = await import('./gateway/socket-path.ts');
    const { keeper } = host;
    const socket = checkSocketPath(home.state, { platform: process.platform, keeper, report });
    const { openChatHub, openWeb } = await import('./app/web.ts');
    const hub = await openChatHub(this.#parts);
    const channels = await openChannels(this.#parts, hub, report);
    const { chain, warnings } = await models.require({});
    const [{ name, place }] = chain;
    const gateway = this.#openGateway(channels, report, host.restart);
    const channelStates = (): readonly NamedState[] => gateway.channelStates.list();
    const since = new Date(this.#parts.clock.now()).toISOString();
    const web = hub && this.#closing.use(await openWeb(this.#parts, hub, gateway, report));
    const status = async (): Promise<GatewayStatus> => ({
      pid: process.pid,
      since,
      version: host.version,
      keeper,
      state: gateway.isDraining ? 'stopping' : 'serving',
      channels: channelStates().map((channel) => channel.name),
      channelStates: channelStates(),
      model: await this.#currentModel(gateway),
      ...(web && { page: web.origin }),
      ...(web?.note !== undefined && { pageNote: web.note }),
      atWork: gateway.atWork,
      start: this.#parts.start,
    });
    const { createAttachDesk } = await import('./gateway/attach/attach-desk.ts');
    const notesOn = (workdir: string): readonly string[] => describeIgnored(workdir, this.#parts);
    const endTask = (sessionId: SessionId): Promise<void> => this.endTask(sessionId);
    // What was wrong with the file at the start may be mended by now; in a safe start nobody looks at it.
    const besideTheFile = this.#parts.start === 'safe' ? settings.current.warnings : [];
    const notes = [...this.#parts.secrets.warnings, ...besideTheFile];
    const desk = createAttachDesk({ ...this.#parts, warnings: notes, gateway, endTask, notesOn });
    const { openPeopleDesk } = await import('./gateway/people-desk.ts');
    const attach = desk.welcome;
    const shutOut = (person: PersonId): Promise<void> => gateway.shutOut(person);
    const word = await this.#openWord((person) => gateway.chatWith(person));
    const deliverTo = (person: PersonId): void => {
      const address = gateway.chatWith(person);
      if (address !== undefined) void gateway.deliver(address);
    };
    const deskDeps = { ...this.#parts, web, shutOut, word, deliverTo, report, status, attach };
    if (socket === 'fits') this.#closing.use(await openPeopleDesk(home.state, deskDeps));
    this.#closing.use(desk);
    gateway.start();
    await gateway.goOn();
    await gateway.noteSettingsAtStart(settings.newsAtStart);
    this.#keepSettingsOnceServed(gateway);
    const { longestDrainMs = Infinity } = host;
    const drain = (): Promise<void> => gateway.drain(Math.min(settings.current.config.agent.drainMs, longestDrainMs));
    const whenDeaf = (): Promise<void> => gateway.whenDeaf();
    const whenIdle = (sessionId: SessionId): Promise<void> => gateway.whenIdle(sessionId);
    const atWork = (): number => gateway.atWork;
    const whenConnected = (): Promise<void> => gateway.channelStates.when(isConnected);
    const served = { drain, whenDeaf, whenConnected, channelStates, whenIdle, atWork };
    return { gateway: served, web, model: { name, place }, warnings };
  }

  /** Writes a line into the log. */
  note(line: string): void {
    this.#parts.log.write('info', line);
  }

  async answerAtDesk(request: DeskRequest): Promise<DeskAnswer> {
    const { answerAtDesk } = await import('./gateway/people-desk.ts');
    return await answerAtDesk(request, { ...this.#parts, web: undefined, word: await this.#openWord() });
  }

  async #openWord(chatOf?: Gateway['chatWith']): Promise<WordForPeople> {
    const { openWordForPeople } = await import('./app/word-for-people.ts');
    return openWordForPeople(this.#parts, chatOf);
  }

  /** For a session that was deleted: what is kept outside of the store goes, too. */
  async endTask(sessionId: SessionId): Promise<void> {
    await this.#parts.toolbox.endTask(sessionId);
    await this.#parts.files.remove(sessionId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#closing.disposeAsync();
  }

  /** The model that would answer now, whatever it was at the start. */
  async #currentModel(gateway: Gateway): Promise<string> {
    const { models } = this.#parts;
    await gateway.lookAtSettings();
    const found = await models.find(models.chosenFor({}));
    return found.type === 'chosen' ? found.chain[0].name : `none: ${found.problem}`;
  }

  /** One that no platform ever answered has served nobody, and is nothing to go back to. */
  #keepSettingsOnceServed({ channelStates }: Gateway): void {
    let keeping = Promise.resolve();
    this.#closing.defer(() => keeping);
    const keepOnceServed = async (): Promise<void> => {
      await channelStates.when(isServing);
      keeping = this.#keepSettings();
    };
    void keepOnceServed();
  }

  async #keepSettings(): Promise<void> {
    const { settings, log } = this.#parts;
    for (const problem of await settings.keepAsServed()) log.write('warn', problem);
  }

  #openGateway(channels: readonly Channel[], report: (line: string) => void, restart = unkept): Gateway {
    const owner = newId('node', this.#parts.clock.now());
    const gateway = new Gateway({
      ...this.#parts,
      wake: new InProcessWake(),
      signals: new InProcessSignals(),
      rules: new FileStandingRules(this.#parts.home.rulesFile),
      channels,
      owner,
      openAgents: (approvals, questions) => this.#openAgents({ approvals, questions, owner }),
      restart,
      report,
    });
    return this.#closing.use(gateway);
  }

  #openAgents(desk: Pick<AgentParts, 'approvals' | 'questions' | 'owner'>): AgentCache {
    const { store, toolbox, settings, models, secrets, sources, log, clock, faults } = this.#parts;
    const parts = {
      store,
      ...desk,
      toolbox,
      projectTools: (workdir: string) => this.#parts.toolServers.projectTools(workdir),
      models,
      connect: (target: Runtime) => connect(target, clock, secrets),
      settings,
      sources,
      catalogue: this.#parts.catalogue,
      coolDowns: new CoolDowns(),
      clock,
      faults,
    } as const;
    const planner = new AgentPlanner(parts);
    const agents = new AgentCache({
      plan: async (session) => {
        await this.#parts.toolServers.prepare({ sessionId: session.id, workdir: session.workdir });
        return await planner.plan(session);
      },
      endTask: (sessionId) => toolbox.endTask(sessionId),
      limits: () => settings.current.config.agentCache,
      clock,
      log,
    });
    this.#closing.defer(() => agents.releaseAll());
    const sweeping = new AbortController();
    const sweeps = sweepIdleAgents({ agents, clock, log }, sweeping.signal);
    this.#closing.defer(async () => {
      sweeping.abort();
      await sweeps;
    });
    return agents;
  }
}

import { AsyncQueue } from '../base/async-queue.ts';
import type { Clock } from '../base/clock.ts';
import type { NodeId, SessionId } from '../base/ids.ts';
import type { Approvals } from '../model/approvals.ts';
import type { Catalogue } from '../model/catalogue.ts';
import type { Config } from '../model/config.ts';
import type { ImagePart } from '../model/message.ts';
import type { Faults } from '../model/faults.ts';
import type { ProjectTools } from '../model/project-servers.ts';
import type { PromptSources } from '../model/prompt.ts';
import type { Provider } from '../model/provider.ts';
import type { Questions } from '../model/questions.ts';
import type { Runtime, RuntimeChain, RuntimeName } from '../model/runtime.ts';
import type { FrozenPrompt, Session, SessionSettings } from '../model/session.ts';
import type { Settings } from '../model/settings.ts';
import type { Fence, Store, StoreTx } from '../model/store.ts';
import type { Tool, Toolbox } from '../model/tool.ts';
import type { StepEvent, TurnRef, TurnResult } from '../model/turn.ts';
import { chooseStart, describeStart } from '../turn/choose-start.ts';
import { Conversation } from '../turn/conversation.ts';
import type { CoolDowns } from '../turn/cool-downs.ts';
import { Purse } from '../turn/purse.ts';
import { Recorder } from '../turn/recorder.ts';
import { runTurn } from '../turn/run-turn.ts';
import type { TurnDeps, TurnEnd } from '../turn/run-turn.ts';
import { RuntimeClients } from '../turn/runtime-clients.ts';
import { Activity } from './activity.ts';
import type { ActivityReport } from './activity.ts';
import type { Models } from './models.ts';

/** What every agent of this process is made with. */
export interface AgentParts {
  readonly store: Store;
  readonly toolbox: Pick<Toolbox, 'generation' | 'tools' | 'endTask' | 'unheardNews'>;
  /** The tools that only the sessions of the project around a folder have; undefined where it has none. */
  readonly projectTools?: (workdir: string) => ProjectTools | undefined;
  readonly approvals: Approvals;
  readonly questions: Questions;
  /** Who answers in a session, and how hard it thinks. */
  readonly models: Pick<Models, 'chainFor' | 'effortFor' | 'find'>;
  readonly connect: (runtime: Runtime) => Promise<Provider>;
  readonly owner: NodeId;
  /** Read anew for every turn, but for what an agent is built with. */
  readonly settings: Pick<Settings, 'current'>;
  /** Read only where a session's prompt is made. */
  readonly sources: PromptSources;
  readonly coolDowns: CoolDowns;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly faults: Faults | undefined;
}

/** What one agent is made of, as things were when it was planned. */
export interface AgentMakeup {
  readonly session: Session;
  readonly prompt: FrozenPrompt;
  /** The prompt as it would be made now; the given one where that is the same. */
  readonly remakePrompt: (earlier: FrozenPrompt) => Promise<FrozenPrompt>;
  readonly chain: RuntimeChain;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly config: Pick<Config, 'compaction' | 'model'>;
  /** Told as soon as a turn falls back. */
  readonly onFallback: () => void;
}

/** What one turn brings along. */
export interface TurnOptions {
  /** As they are when the turn begins; the effort is read from them, so that a change needs no other agent. */
  readonly settings: SessionSettings;
  /** Takes the session's lease, in the transaction of the first entry. */
  readonly takeLease: (tx: StoreTx) => Promise<Fence>;
  readonly settleWith: (tx: StoreTx, result: TurnResult, pictures: readonly ImagePart[]) => Promise<void>;
  /** Keeps an answer that the turn goes on from, in the transaction of its next request. */
  readonly keepAnswer: (tx: StoreTx, text: string) => Promise<void>;
  readonly signal: AbortSignal;
  /** Aborts when the whole program ends. */
  readonly shutdown: AbortSignal;
  /** How many times in a row this turn was entered by interrupting another; 0 where the session was idle. */
  readonly interruptDepth: number;
}

type BegunTurn = TurnOptions & Pick<TurnDeps, 'isWarm'>;

// Its client, connections and tables, roughly.
const ownBytes = 20_000;

/**
 * A session made ready: frozen prompt, tool schemas and a model client. Nothing that the model sees may change in it, but
 * for the prompt in the moment of a compaction: there the conversation is read anew anyway.
 */
export class Agent {
  readonly sessionId: SessionId;
  readonly signature: string;
  readonly #makeup: AgentMakeup;
  readonly #parts: AgentParts;
  readonly #activity: Activity;
  readonly #clients: RuntimeClients;
  #conversation: Conversation;
  #prompt: FrozenPrompt;
  readonly #describedBytes: number;

  constructor(makeup: AgentMakeup, parts: AgentParts) {
    this.sessionId = makeup.session.id;
    this.signature = makeup.prompt.signature;
    this.#makeup = makeup;
    this.#parts = parts;
    this.#activity = new Activity(parts.clock);
    this.#clients = new RuntimeClients(makeup.chain, parts.connect);
    this.#conversation = new Conversation(this.sessionId);
    this.#prompt = makeup.prompt;
    // Of the tools, which no prompt that is made later changes. After each turn every agent is asked for its weight.
    this.#describedBytes = makeup.prompt.tools.reduce((sum, { description }) => sum + description.length, 0);
  }

  /** The model that turns begin with. */
  get primary(): RuntimeName {
    return this.#makeup.chain[0].name;
  }

  /** What it did last, and when. */
  get activity(): ActivityReport {
    return this.#activity.report;
  }

  /** About how much memory it holds. */
  get heldBytes(): number {
    return ownBytes + this.#prompt.system.length + this.#describedBytes + this.#conversation.weight;
  }

  /** Runs a turn to its end; yields what may be watched. The turn goes on even if nobody asks for the next event. */
  run(turn: TurnRef, options: TurnOptions): AsyncGenerator<StepEvent, TurnEnd> {
    // At once, and not with the first look at the turn: whoever watches the clock from now on sees the one of this turn.
    this.#activity.beginTurn(options.interruptDepth);
    return this.#watchable(turn, options);
  }

  /** Soft: the model clients and what was read of the log go, the task stays. */
  async release(): Promise<void> {
    // First: a client that cannot be closed must not hold a whole conversation in memory.
    this.#conversation = new Conversation(this.sessionId);
    await this.#clients.close();
  }

  async *#watchable(turn: TurnRef, options: TurnOptions): AsyncGenerator<StepEvent, TurnEnd> {
    const events = new AsyncQueue<StepEvent>();
    const emit = (event: StepEvent): void => {
      this.#note(event, options.signal);
      events.push(event);
    };
    const end = this.#runTurn(turn, options, emit).finally(() => events.close());
    // A failure is met at the `await` below, once the watcher has caught up; until then it must not count as unhandled.
    end.catch(() => undefined);
    yield* events;
    return await end;
  }

  #note(event: StepEvent, signal: AbortSignal): void {
    // What is written down about a turn that was told to end is no sign of life.
    if (!signal.aborted) this.#activity.take(event);
    if (event.type !== 'entry' || event.logged.entry.type !== 'step.failed') return;
    if (event.logged.entry.next.type === 'fall-back') this.#makeup.onFallback();
  }

  async #runTurn(turn: TurnRef, options: TurnOptions, emit: (event: StepEvent) => void): Promise<TurnEnd> {
    const isWarm = this.#conversation.seq > 0;
    try {
      await this.#conversation.catchUp(this.#parts.store.turns);
      await this.#clients.restorePrimary();
      return await runTurn(this.#turnDeps(turn, { ...options, isWarm }, emit), options.signal);
    } catch (thrown) {
      // What was folded may be ahead of what was stored; the next turn reads the log afresh.
      this.#conversation = new Conversation(this.sessionId);
      throw thrown;
    }
  }

  /** The primary, unless it rests from a limit and another runtime does not. */
  #chooseStart(emit: (event: StepEvent) => void): number {
    const { coolDowns, clock } = this.#parts;
    const { chain } = this.#clients;
    const start = chooseStart(chain, coolDowns, clock.monotonic());
    const text = describeStart(start, chain);
    if (text !== undefined) emit({ type: 'notice', text });
    return start.place;
  }

  #compactionDeps(): TurnDeps['compaction'] {
    const { catalogue, models, connect } = this.#parts;
    return {
      ...this.#makeup.config.compaction,
      remakePrompt: () => this.#makeup.remakePrompt(this.#prompt),
      takePrompt: (prompt) => {
        this.#prompt = prompt;
      },
      knownWindow: (runtime) => catalogue.window(runtime),
      async openWriter(model) {
        const found = await models.find(model);
        if (found.type === 'unusable') throw new Error(found.problem);
        const [runtime] = found.chain;
        const client = await connect(runtime);
        return { runtime, client, [Symbol.asyncDispose]: () => client.close() };
      },
    };
  }

  #turnDeps(turn: TurnRef, options: BegunTurn, emit: (event: StepEvent) => void): TurnDeps {
    const { store, clock, faults, approvals, questions, owner, settings, coolDowns, catalogue, models } = this.#parts;
    const { session, tools, config } = this.#makeup;
    const promptNow = (): FrozenPrompt => this.#prompt;
    const now = settings.current.config;
    const conversation = this.#conversation;
    const { takeLease } = options;
    const recorder = new Recorder(turn, { store, conversation, takeLease, clock, emit, faults });
    const person = recorder.state.person ?? session.person;
    return {
      recorder,
      conversation,
      purse: new Purse({ settings: now.limits, catalogue, money: store.money, clock, turn, person }),
      clients: this.#clients,
      coolDowns,
      startPlace: this.#chooseStart(emit),
      get prompt() {
        return promptNow();
      },
      maxOutputTokens: config.model.maxOutputTokens,
      effort: models.effortFor(options.settings),
      compaction: this.#compactionDeps(),
      clock,
      emit,
      tools,
      unheardNews: () => this.#parts.toolbox.unheardNews(this.sessionId),
      blobs: store.blobs,
      approvals: {
        ask: (request, signal) => {
          emit({ type: 'waiting', wait: { type: 'person' } });
          return this.#activity.whileAsking(() => approvals.ask(request, signal));
        },
      },
      questions: {
        ask: (question, signal) => {
          emit({ type: 'waiting', wait: { type: 'person' } });
          return this.#activity.whileAsking(() => questions.ask(question, signal));
        },
      },
      place: { sessionId: this.sessionId, workdir: session.workdir, person },
      person,
      limits: now.agent,
      owner,
      settleWith: options.settleWith,
      keepAnswer: options.keepAnswer,
      isWarm: options.isWarm,
      shutdown: options.shutdown,
    };
  }
}

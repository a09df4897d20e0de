import { AsyncQueue } from '../base/async-queue.ts';
import type { Clock } from '../base/clock.ts';
import type { NodeId, SessionId } from '../base/ids.ts';
import type { Approvals } from '../model/approvals.ts';
import type { Catalogue } from '../model/catalogue.ts';
import type { CompactionSettings, MoneyLimits } from '../model/config.ts';
import type { Faults } from '../model/faults.ts';
import type { Provider } from '../model/provider.ts';
import type { Runtime, RuntimeChain } from '../model/runtime.ts';
import type { FrozenPrompt, Session, SessionSettings } from '../model/session.ts';
import type { Fence, Store, StoreTx } from '../model/store.ts';
import type { Toolbox } from '../model/tool.ts';
import type { StepEvent, TurnRef, TurnResult } from '../model/turn.ts';
import { chooseStart, describeStart } from '../turn/choose-start.ts';
import { Conversation } from '../turn/conversation.ts';
import type { CoolDowns } from '../turn/cool-downs.ts';
import type { TurnLimits } from '../turn/decide-next.ts';
import { Purse } from '../turn/purse.ts';
import { Recorder } from '../turn/recorder.ts';
import { runTurn } from '../turn/run-turn.ts';
import type { TurnDeps, TurnEnd } from '../turn/run-turn.ts';
import { RuntimeClients } from '../turn/runtime-clients.ts';
import type { Models } from './models.ts';

/** What every agent of this process is made with. */
export interface AgentParts {
  readonly store: Store;
  readonly toolbox: Toolbox;
  readonly approvals: Approvals;
  /** Who answers in a session, and how hard it thinks. */
  readonly models: Pick<Models, 'chainFor' | 'effortFor' | 'find'>;
  readonly connect: (runtime: Runtime) => Promise<Provider>;
  readonly owner: NodeId;
  readonly limits: TurnLimits;
  readonly maxOutputTokens: number | undefined;
  readonly coolDowns: CoolDowns;
  readonly moneyLimits: MoneyLimits;
  readonly compaction: CompactionSettings;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly faults: Faults | undefined;
}

/** What one turn brings along. */
export interface TurnOptions {
  /** As they are when the turn begins; the effort is read from them, so that a change needs no other agent. */
  readonly settings: SessionSettings;
  readonly fence: Fence;
  readonly settleWith: (tx: StoreTx, result: TurnResult) => Promise<void>;
  readonly signal: AbortSignal;
  /** Aborts when the whole program ends. */
  readonly shutdown: AbortSignal;
}

/** A session made ready: frozen prompt, tool schemas and a model client. Nothing that the model sees may change in it. */
export class Agent {
  readonly sessionId: SessionId;
  readonly signature: string;
  readonly #session: Session;
  readonly #prompt: FrozenPrompt;
  readonly #parts: AgentParts;
  readonly #clients: RuntimeClients;
  #conversation: Conversation;

  constructor(session: Session, prompt: FrozenPrompt, chain: RuntimeChain, parts: AgentParts) {
    this.sessionId = session.id;
    this.signature = prompt.signature;
    this.#session = session;
    this.#prompt = prompt;
    this.#parts = parts;
    this.#clients = new RuntimeClients(chain, parts.connect);
    this.#conversation = new Conversation(session.id);
  }

  /** Runs a turn to its end; yields what may be watched. The turn goes on even if nobody asks for the next event. */
  async *run(turn: TurnRef, options: TurnOptions): AsyncGenerator<StepEvent, TurnEnd> {
    const events = new AsyncQueue<StepEvent>();
    const end = this.#runTurn(turn, options, (event) => events.push(event)).finally(() => events.close());
    // A failure is met at the `await` below, once the watcher has caught up; until then it must not count as unhandled.
    end.catch(() => undefined);
    yield* events;
    return await end;
  }

  /** Soft: the model clients go, the task stays. */
  async release(): Promise<void> {
    await this.#clients.close();
  }

  /** Hard, for reset, expiry and deletion: the task of the session ends too. */
  async close(): Promise<void> {
    await this.release();
    await this.#parts.toolbox.endTask(this.sessionId);
  }

  async #runTurn(turn: TurnRef, options: TurnOptions, emit: (event: StepEvent) => void): Promise<TurnEnd> {
    try {
      await this.#conversation.catchUp(this.#parts.store.turns);
      await this.#clients.restorePrimary();
      return await runTurn(this.#turnDeps(turn, options, emit), options.signal);
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
    const { compaction, catalogue, models, connect } = this.#parts;
    return {
      ...compaction,
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

  #turnDeps(turn: TurnRef, options: TurnOptions, emit: (event: StepEvent) => void): TurnDeps {
    const { store, clock, faults, toolbox, approvals, owner, limits, maxOutputTokens, coolDowns } = this.#parts;
    const { moneyLimits, catalogue, models } = this.#parts;
    const conversation = this.#conversation;
    const recorder = new Recorder(turn, { store, conversation, fence: options.fence, clock, emit, faults });
    const person = recorder.state.person ?? this.#session.person;
    return {
      recorder,
      conversation,
      purse: new Purse({ settings: moneyLimits, catalogue, money: store.money, clock, turn, person }),
      clients: this.#clients,
      coolDowns,
      startPlace: this.#chooseStart(emit),
      prompt: this.#prompt,
      maxOutputTokens,
      effort: models.effortFor(options.settings),
      compaction: this.#compactionDeps(),
      clock,
      emit,
      tools: toolbox.tools,
      blobs: store.blobs,
      approvals,
      place: { sessionId: this.sessionId, workdir: this.#session.workdir },
      person,
      limits,
      claim: { owner, epoch: options.fence.epoch },
      settleWith: options.settleWith,
      shutdown: options.shutdown,
    };
  }
}

import type { SessionId } from '../base/ids.ts';
import type { Signal, Signals, Wake } from '../model/store.ts';
import type { AbortCause, TurnRef } from '../model/turn.ts';

/** Serves a session until it has no unsettled turn left. Says which turn it is at. */
export type Drain = (sessionId: SessionId, lane: LaneControl) => Promise<void>;

/** What a turn waits for and since when, in one line. */
export type DescribeWait = () => string;

export interface LaneControl {
  /** Begins a turn: from here on a stop reaches it, and only it. Whoever asks is told what it waits for. */
  begin(turn: TurnRef, describeWait: DescribeWait): BegunTurn;
  /** Tells the turn that has begun to end. */
  abort(cause: AbortCause): void;
  /** Says whether the turn waits for nothing but a person: then a gateway that is to end does not wait for it. */
  rest(on: 'person' | 'nobody'): void;
  /** Ends it: a stop that comes now is meant for the turn that follows. */
  end(): void;
  /** Aborts with the lane itself, at shutdown. */
  readonly signal: AbortSignal;
  /** Whether another turn may begin. */
  mayBegin(): boolean;
}

export interface BegunTurn {
  readonly signal: AbortSignal;
  /** How many turns in a row were stopped to come to this one; 0 where the session was idle, or the last one ended by itself. */
  readonly interruptDepth: number;
}

interface Lane {
  turn: TurnRef | undefined;
  describeWait: DescribeWait | undefined;
  controller: AbortController;
  interruptDepth: number;
  restsOn: 'person' | 'nobody';
  /** A stop that came before the turn it was meant for had begun. */
  earlyStop: Signal | undefined;
  /** Whether work arrived while the lane was already looking: then it looks once more. */
  isWokenAgain: boolean;
  readonly done: Promise<void>;
}

export interface LanesDeps {
  readonly wake: Wake;
  readonly signals: Signals;
  readonly drain: Drain;
  /** Told of a drain that ended in an error. */
  readonly onError: (sessionId: SessionId, thrown: unknown) => void;
}

// A lane that fails again and again stops trying; the session's next message opens it anew.
const mostFailures = 3;

/** One serial lane a session. Two turns of a session never run at once, and no wake is lost. */
export class Lanes implements AsyncDisposable {
  readonly #deps: LanesDeps;
  readonly #lanes = new Map<SessionId, Lane>();
  readonly #listening: Disposable;
  readonly #closing = new AbortController();
  #isHeld = false;

  constructor(deps: LanesDeps) {
    this.#deps = deps;
    this.#listening = deps.wake.onWake((sessionId) => this.#wake(sessionId));
  }

  /** The turn that a session is at, if it has begun one. A turn that was told to stop takes nothing in any more. */
  running(sessionId: SessionId): TurnRef | undefined {
    const lane = this.#lanes.get(sessionId);
    return lane?.controller.signal.aborted === true ? undefined : lane?.turn;
  }

  /** What the turn of a session waits for; undefined where none has begun. */
  waitOf(sessionId: SessionId): string | undefined {
    return this.#lanes.get(sessionId)?.describeWait?.();
  }

  isBusy(sessionId: SessionId): boolean {
    return this.#lanes.has(sessionId);
  }

  /** Resolves when the session has nothing left to do. */
  async whenIdle(sessionId: SessionId): Promise<void> {
    for (let lane = this.#lanes.get(sessionId); lane; lane = this.#lanes.get(sessionId)) await lane.done;
  }

  /** How many sessions are being served. */
  get atWork(): number {
    return this.#lanes.size;
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /**
   * From now on no turn begins; one that runs may end. Resolves when none runs any more. One that only waits for a person
   * is left unsettled at once: nobody may be there, and the next start asks again.
   */
  async hold(): Promise<void> {
    this.#isHeld = true;
    for (const lane of this.#lanes.values()) this.#releaseResting(lane);
    await Promise.all([...this.#lanes.values()].map((lane) => lane.done));
  }

  /** Running turns are told, and left unsettled for the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    const cause: AbortCause = { type: 'shutdown' };
    this.#closing.abort(cause);
    this.#listening[Symbol.dispose]();
    const lanes = [...this.#lanes.values()];
    for (const lane of lanes) lane.controller.abort(cause);
    await Promise.all(lanes.map((lane) => lane.done));
  }

  #wake(sessionId: SessionId): void {
    if (this.#closing.signal.aborted) return;
    const lane = this.#lanes.get(sessionId);
    if (lane) {
      lane.isWokenAgain = true;
      return;
    }
    // Synchronous up to here, so that two wakes can never open two lanes.
    const { promise, resolve } = Promise.withResolvers<void>();
    const controller = new AbortController();
    const opened: Lane = {
      turn: undefined,
      describeWait: undefined,
      controller,
      interruptDepth: 0,
      restsOn: 'nobody',
      earlyStop: undefined,
      isWokenAgain: true,
      done: promise,
    };
    this.#lanes.set(sessionId, opened);
    void this.#serve(sessionId, opened).finally(resolve);
  }

  async #serve(sessionId: SessionId, lane: Lane): Promise<void> {
    using _listening = this.#deps.signals.onSignal(sessionId, (signal) => this.#obey(signal, lane));
    for (let failures = 0; lane.isWokenAgain && failures < mostFailures && !this.#closing.signal.aborted;) {
      lane.isWokenAgain = false;
      try {
        await this.#deps.drain(sessionId, this.#controlOf(lane));
      } catch (thrown) {
        failures += 1;
        this.#deps.onError(sessionId, thrown);
      }
      endTurn(lane);
      lane.earlyStop = undefined;
    }
    this.#lanes.delete(sessionId);
  }

  #controlOf(lane: Lane): LaneControl {
    return {
      begin: (turn, describeWait) => {
        lane.describeWait = describeWait;
        return this.#begin(turn, lane);
      },
      abort: (cause) => lane.controller.abort(cause),
      rest: (on) => {
        lane.restsOn = on;
        this.#releaseResting(lane);
      },
      end: () => endTurn(lane),
      signal: this.#closing.signal,
      mayBegin: () => !this.#isHeld && !this.#closing.signal.aborted,
    };
  }

  #releaseResting(lane: Lane): void {
    const cause: AbortCause = { type: 'shutdown' };
    if (this.#isHeld && lane.turn !== undefined && lane.restsOn === 'person') lane.controller.abort(cause);
  }

  #begin(turn: TurnRef, lane: Lane): BegunTurn {
    lane.turn = turn;
    lane.restsOn = 'nobody';
    lane.interruptDepth = wasStopped(lane) ? lane.interruptDepth + 1 : 0;
    // A stop belongs to the turn it was meant for; the next one starts with a signal of its own.
    lane.controller = new AbortController();
    if (this.#closing.signal.aborted) lane.controller.abort(this.#closing.signal.reason);
    else if (lane.earlyStop && isMeantFor(turn, lane.earlyStop)) lane.controller.abort(causeOf(lane.earlyStop));
    lane.earlyStop = undefined;
    return { signal: lane.controller.signal, interruptDepth: lane.interruptDepth };
  }

  #obey(signal: Signal, lane: Lane): void {
    if (lane.turn === undefined) lane.earlyStop = signal;
    else if (isMeantFor(lane.turn, signal)) lane.controller.abort(causeOf(signal));
  }
}

/** What was meant for one turn must not reach one that was begun, or even admitted, since. */
function isMeantFor({ turnId }: TurnRef, signal: Signal): boolean {
  return signal.turnId === undefined || signal.turnId === turnId;
}

function causeOf({ by }: Signal): AbortCause {
  return { type: 'stop', by };
}

/** Whether the turn before was stopped by someone. */
function wasStopped({ controller: { signal } }: Lane): boolean {
  return signal.aborted && (signal.reason as AbortCause).type === 'stop';
}

function endTurn(lane: Lane): void {
  lane.turn = undefined;
  lane.describeWait = undefined;
}

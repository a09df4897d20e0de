import type { Clock } from '../base/clock.ts';
import type { StepEvent } from '../model/turn.ts';
import { describeWait } from './describe-wait.ts';
import { beginWaiting, followWait } from './follow-wait.ts';
import type { Waiting } from './follow-wait.ts';

export interface WaitTellerDeps {
  readonly tell: (text: string) => void;
  /** How many turns wait for this one to end. */
  readonly countBehind: () => Promise<number>;
  readonly clock: Clock;
}

const silenceMs = 30_000;
const paceMs = 15_000;
const slowPaceMs = 60_000;

/** Says what a turn waits for whenever nothing was seen of it for half a minute, and goes on saying it until something is. */
export class WaitTeller implements AsyncDisposable {
  readonly #deps: WaitTellerDeps;
  readonly #over = new AbortController();
  readonly #telling: Promise<void>;
  #waiting: Waiting;
  #toldMs: number | undefined;

  constructor(deps: WaitTellerDeps) {
    this.#deps = deps;
    this.#waiting = beginWaiting(deps.clock.monotonic());
    this.#telling = this.#watch(this.#over.signal);
  }

  take(event: StepEvent): void {
    this.#waiting = followWait(this.#waiting, event, this.#deps.clock.monotonic());
  }

  /** Whoever asks a person runs nothing beside that: a question has its turn to itself. */
  get isForPerson(): boolean {
    return this.#waiting.obstacle.type === 'person';
  }

  /** What is waited for at this moment. */
  describe(): string {
    return describeWait(this.#waiting, this.#deps.clock.monotonic());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort('over');
    await this.#telling;
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    while (!signal.aborted) {
      const leftMs = this.#dueMs() - clock.monotonic();
      if (leftMs <= 0) await this.#tell(signal);
      else await clock.sleep(leftMs, signal).catch(() => undefined); // Only the abort ends it early, and the loop with it.
    }
  }

  #dueMs(): number {
    const { seenMs, sinceMs } = this.#waiting;
    const told = this.#toldMs;
    if (told === undefined || told < seenMs) return seenMs + silenceMs;
    return told + (told - sinceMs < 2 * slowPaceMs ? paceMs : slowPaceMs);
  }

  async #tell(signal: AbortSignal): Promise<void> {
    this.#toldMs = this.#deps.clock.monotonic();
    // A store that cannot be read is no reason to be silent.
    const behind = await this.#deps.countBehind().catch(() => 0);
    if (signal.aborted) return;
    const text = this.describe();
    this.#deps.tell(behind === 0 ? text : `${text}; ${behind} more ${behind === 1 ? 'waits' : 'wait'} for a place`);
  }
}

import type { Clock } from '../base/clock.ts';
import { waitOut } from '../base/wait-out.ts';
import type { Faults, FaultPoint } from '../model/faults.ts';
import type { Fence, Store, StoreTx } from '../model/store.ts';
import type { TurnState } from '../model/turn-state.ts';
import type { LoggedEntry, StepEvent, TurnEntry, TurnRef } from '../model/turn.ts';
import type { Conversation } from './conversation.ts';

export interface RecorderDeps {
  readonly store: Pick<Store, 'turns' | 'transaction'>;
  readonly conversation: Conversation;
  /** Takes the right to write, in the transaction of the first entry. */
  readonly takeLease: (tx: StoreTx) => Promise<Fence>;
  readonly clock: Clock;
  readonly emit: (event: StepEvent) => void;
  readonly faults: Faults | undefined;
}

/**
 * Writes the entries of one running turn, all of them under a lease that is taken with the first. When a method resolves, its entry is
 * durable and folded; before that, nothing is.
 */
export class Recorder {
  readonly turn: TurnRef;
  readonly #deps: RecorderDeps;
  #fence: Fence | undefined;
  #opening: (() => TurnEntry) | undefined;

  constructor(turn: TurnRef, deps: RecorderDeps) {
    this.turn = turn;
    this.#deps = deps;
  }

  get state(): TurnState {
    return this.#deps.conversation.state(this.turn.turnId);
  }

  /** Has an entry written right before the first that is appended from now on, in the same write. */
  openWith(entry: () => TurnEntry): void {
    this.#opening = entry;
  }

  async record(entries: readonly TurnEntry[], signal?: AbortSignal): Promise<void> {
    await this.write((tx) => this.appendIn(tx, entries), signal);
  }

  appendIn(tx: StoreTx, entries: readonly TurnEntry[]): Promise<readonly LoggedEntry[]> {
    const opening = this.#opening === undefined ? [] : [this.#opening()];
    this.#opening = undefined;
    return tx.turns.append(this.turn, [...opening, ...entries], this.#fence);
  }

  /** Does work that appends entries only if nothing was added behind what this turn has seen; false where something was. */
  async recordIfCurrent(
    work: (tx: StoreTx) => Promise<readonly LoggedEntry[]>,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const { conversation, store } = this.#deps;
    const logged = await this.write(async (tx) => ((await this.isCurrent(tx)) ? await work(tx) : []), signal);
    if (logged.length === 0) await conversation.catchUp(store.turns);
    return logged.length > 0;
  }

  /** Under which epoch this turn writes; only within a write, or behind the first. */
  get epoch(): number {
    return this.#fence?.epoch ?? 0;
  }

  /** Whether nothing was added behind what this turn has seen. */
  async isCurrent(tx: StoreTx): Promise<boolean> {
    const { conversation } = this.#deps;
    return (await tx.turns.after(this.turn.sessionId, conversation.seq)).length === 0;
  }

  /** One transaction of entries and whatever belongs to them. A full or busy store is waited out: nothing goes on unrecorded. */
  async write(
    work: (tx: StoreTx) => Promise<readonly LoggedEntry[]>,
    signal?: AbortSignal,
  ): Promise<readonly LoggedEntry[]> {
    const { clock, emit } = this.#deps;
    return await waitOut(
      async () => {
        const logged = await this.#writeUnderLease(work);
        await this.#takeIn(logged);
        return logged;
      },
      { clock, signal, onWait: ({ message }) => announceWait(message, emit) },
    );
  }

  async reach(point: FaultPoint): Promise<void> {
    await this.#deps.faults?.reach(point);
  }

  async #writeUnderLease(work: (tx: StoreTx) => Promise<readonly LoggedEntry[]>): Promise<readonly LoggedEntry[]> {
    const { store, takeLease } = this.#deps;
    const fence = this.#fence;
    const opening = this.#opening;
    try {
      return await store.transaction(async (tx) => {
        this.#fence ??= await takeLease(tx);
        return await work(tx);
      });
    } catch (thrown) {
      // What was undone with the transaction was never taken, nor written.
      this.#fence = fence;
      this.#opening = opening;
      throw thrown;
    }
  }

  async #takeIn(logged: readonly LoggedEntry[]): Promise<void> {
    const { conversation, store, emit } = this.#deps;
    if (logged.length === 0) return;
    // An admission or a steer may stand between what was folded last and what was written now.
    if (logged[0]?.seq === conversation.seq + 1) conversation.take(logged);
    else await conversation.catchUp(store.turns);
    for (const entry of logged) emit({ type: 'entry', logged: entry });
  }
}

function announceWait(reason: string, emit: RecorderDeps['emit']): void {
  emit({ type: 'notice', text: `${reason}; waiting` });
  emit({ type: 'waiting', wait: { type: 'store', reason } });
}

import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { NodeId, SessionId } from '../base/ids.ts';
import { sleepUnless } from '../base/sleep-unless.ts';
import type { Fence, Store, StoreTx } from '../model/store.ts';

export interface SessionLeaseDeps {
  readonly store: Pick<Store, 'leases'>;
  readonly owner: NodeId;
  readonly clock: Clock;
}

const leaseMs = 20_000;
const beatMs = 5_000;

/**
 * The right to serve a session. It is taken in the transaction that claims a turn, kept alive from then on, and given back
 * in the one that settles the last turn. Whoever takes it over shuts out every later write of ours by its epoch.
 */
export class SessionLease implements AsyncDisposable {
  readonly #name: string;
  readonly #deps: SessionLeaseDeps;
  readonly #over = new AbortController();
  #beats: Promise<void> | undefined;
  #isHeld = false;

  constructor(sessionId: SessionId, deps: SessionLeaseDeps) {
    this.#name = `session:${sessionId}`;
    this.#deps = deps;
  }

  /** Throws `fenced` where someone else has it. Taken again it is the same lease, with the same epoch. */
  async take(tx: StoreTx): Promise<Fence> {
    const grant = await tx.leases.acquire(this.#name, this.#deps.owner, leaseMs);
    if (grant.type === 'taken') throw new AppError('fenced', `${this.#name} is served by ${grant.by}`);
    this.#isHeld = true;
    this.#beats ??= this.#keepAlive();
    return { lease: this.#name, epoch: grant.epoch };
  }

  /** Nothing may be written under it once the transaction is over. */
  async giveBack({ leases }: Pick<StoreTx, 'leases'>): Promise<void> {
    this.#isHeld = false;
    await leases.release(this.#name, this.#deps.owner);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort('over');
    await this.#beats;
    // One that cannot be given back runs out by itself.
    if (this.#isHeld) await this.giveBack(this.#deps.store).catch(() => undefined);
  }

  async #keepAlive(): Promise<void> {
    const { clock } = this.#deps;
    for (let isOurs = true; isOurs;) {
      const rest = await sleepUnless(clock, beatMs, this.#over.signal);
      // A renewal that fails needs no care here: the next write is refused by its epoch.
      isOurs = rest === 'slept' && (await this.#renew().catch(() => true));
    }
    this.#beats = undefined;
  }

  #renew(): Promise<boolean> {
    return this.#deps.store.leases.renew(this.#name, this.#deps.owner, leaseMs);
  }
}

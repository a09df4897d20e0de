import { describeError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { sleepUnless } from '../base/sleep-unless.ts';
import type { Channel } from '../model/channel.ts';
import { addressKey } from '../model/session.ts';
import type { Address } from '../model/session.ts';
import { deliverDue } from './delivery.ts';
import type { DeliveryDeps } from './delivery.ts';

export interface DeliveriesDeps extends DeliveryDeps {
  /** Those that were there from the start. */
  readonly channels: readonly Channel[];
  readonly channelFor: (address: Address) => Channel | undefined;
  readonly log: Log;
}

/** Who sends at an address, and who sends next. */
interface Line {
  current: Promise<void> | undefined;
  next: Promise<void> | undefined;
}

const storePauseMs = 10_000;

/**
 * Takes what is in the outbox to its end. There is one sender an address, so that order holds and nothing goes out twice; a
 * chat that is slow holds up no other. What has to wait is tried again by itself, until its time is over.
 */
export class Deliveries implements AsyncDisposable {
  readonly #deps: DeliveriesDeps;
  readonly #stopping = new AbortController();
  readonly #lines = new Map<string, Line>();
  /** By address: when it is looked at again. One for each message that waits, since an earlier look may find it not yet due. */
  readonly #wakes = new Map<string, Set<number>>();
  readonly #underWay = new Set<Promise<void>>();

  constructor(deps: DeliveriesDeps) {
    this.#deps = deps;
  }

  /** Resolves once everything was tried that was due at the address when this was called. Never rejects. */
  deliver(address: Address): Promise<void> {
    const key = addressKey(address);
    const line: Line = this.#lines.get(key) ?? { current: undefined, next: undefined };
    this.#lines.set(key, line);
    // A sender that has not begun yet will find whatever is in the outbox by now.
    line.next ??= this.#keep(this.#sendAfter(line, address));
    return line.next;
  }

  /** Whether something is on its way to an address, or waits there to be tried again. */
  isUnderWay(address: Address): boolean {
    const key = addressKey(address);
    return this.#lines.has(key) || this.#wakes.has(key);
  }

  /** Begins with all that an earlier run left, at once or when its time comes. */
  async goOn(): Promise<void> {
    for (const channel of this.#deps.channels) {
      for (const { address, at } of await this.#deps.outbox.waiting(channel.name)) {
        if (channel.serves(address)) this.#wakeAt(address, at);
      }
    }
  }

  /** What is being sent is waited for; the rest stays in the outbox. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#underWay);
  }

  async #sendAfter(line: Line, address: Address): Promise<void> {
    await line.current;
    line.current = line.next;
    line.next = undefined;
    await this.#sendDue(address);
    if (line.next === undefined) this.#lines.delete(addressKey(address));
  }

  async #sendDue(address: Address): Promise<void> {
    const { channelFor, clock, log } = this.#deps;
    const channel = channelFor(address);
    if (channel === undefined || this.#stopping.signal.aborted) return;
    try {
      const pauseMs = await deliverDue(channel, this.#deps, this.#stopping.signal, address);
      if (pauseMs !== undefined) this.#wakeAt(address, clock.now() + pauseMs);
    } catch (thrown) {
      if (this.#stopping.signal.aborted) return;
      // The rows stay in the outbox; the turn that they come from is settled and none the worse.
      log.write('error', 'a reply could not be delivered', { reason: describeError(thrown) });
      this.#wakeAt(address, clock.now() + storePauseMs);
    }
  }

  #wakeAt(address: Address, at: number): void {
    const key = addressKey(address);
    const wakes = this.#wakes.get(key) ?? new Set();
    this.#wakes.set(key, wakes);
    if (wakes.has(at)) return;
    wakes.add(at);
    void this.#keep(this.#sleepAndDeliver(address, at));
  }

  async #sleepAndDeliver(address: Address, at: number): Promise<void> {
    if ((await this.#sleepUntil(at)) === 'stopped') return;
    const key = addressKey(address);
    const wakes = this.#wakes.get(key);
    wakes?.delete(at);
    if (wakes?.size === 0) this.#wakes.delete(key);
    await this.deliver(address);
  }

  /** Timers may ring a little before the time of the clock that says what is due. */
  async #sleepUntil(at: number): Promise<'there' | 'stopped'> {
    const { clock } = this.#deps;
    while (clock.now() < at) {
      const rest = await sleepUnless(clock, at - clock.now(), this.#stopping.signal);
      if (rest === 'stopped') return rest;
    }
    return this.#stopping.signal.aborted ? 'stopped' : 'there';
  }

  async #keep(work: Promise<void>): Promise<void> {
    this.#underWay.add(work);
    try {
      await work;
    } finally {
      this.#underWay.delete(work);
    }
  }
}

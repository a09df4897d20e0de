import { systemClock } from '../../base/clock.ts';
import type { CallTicket } from './call-ticket.ts';
import { isGroupAlive, signalGroup } from './process-group.ts';
import type { ShellExit } from './runner.ts';

const tickMs = 50;
// Half a second to end in good order: a stop is to take effect within one, the killing included.
const politeTicks = 10;
const graceTicks = 20;
const idleTicks = 2;

/** What is told about a call: how its shell ended, and whether its output is whole, once nobody holds that any more. */
export interface CallWatch {
  readonly exited: Promise<ShellExit>;
  readonly closed: Promise<'whole' | 'cut'>;
}

/**
 * A command that a runner has begun, in a process group of its own, with everything it starts. `exited` tells when its
 * shell ended, `closed` when also nobody holds its output any more.
 */
export class ShellCall {
  readonly exited: Promise<ShellExit>;
  readonly closed: Promise<void>;
  readonly #ticket: CallTicket;
  #output: 'open' | 'whole' | 'cut' = 'open';

  constructor(ticket: CallTicket, { exited, closed }: CallWatch) {
    this.#ticket = ticket;
    this.exited = exited;
    this.closed = this.#noteEnd(closed);
  }

  async #noteEnd(closed: CallWatch['closed']): Promise<void> {
    this.#output = await closed;
  }

  /** Whether a part of the output could not be kept. */
  get isCut(): boolean {
    return this.#output === 'cut';
  }

  /**
   * Waits for the rest of the output after the shell ended. A process left in the background may hold it open for ever:
   * once nothing more comes, what it writes later is its own affair.
   */
  async settleOutput(): Promise<void> {
    let idle = 0;
    for (let tick = 0; tick < graceTicks && idle < idleTicks; tick += 1) {
      const before = this.#ticket.outputMark();
      if (await this.#closesWithin(tickMs)) return;
      idle = this.#ticket.outputMark() === before ? idle + 1 : 0;
    }
  }

  /** Ends the whole group: asks it to, gives it half a second, then leaves it no choice. */
  async end(): Promise<void> {
    const group = this.#ticket.group();
    if (group === undefined) return;
    signalGroup(group, 'SIGTERM');
    for (let tick = 0; tick < politeTicks; tick += 1) {
      if (!(await this.#closesWithin(tickMs))) continue;
      if (!isGroupAlive(group)) return;
      await systemClock.sleep(tickMs);
    }
    signalGroup(group, 'SIGKILL');
    for (let tick = 0; tick < graceTicks; tick += 1) {
      if (await this.#closesWithin(tickMs)) return;
    }
  }

  async #closesWithin(ms: number): Promise<boolean> {
    if (this.#output !== 'open') return true;
    const stop = new AbortController();
    // The system's own time, whatever clock the program lives by: processes end when they end.
    const timer = systemClock.sleep(ms, stop.signal).then(
      () => false,
      () => false,
    );
    const isClosed = await Promise.race([this.closed.then(() => true), timer]);
    stop.abort();
    return isClosed;
  }
}

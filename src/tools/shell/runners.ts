import { systemClock } from '../../base/clock.ts';
import { Runner } from './runner.ts';
import type { BegunCall, RunnerStart, Slot } from './runner.ts';

const idleMs = 30_000;
const longestEndMs = 5000;

/**
 * The runners of a process: as a rule one, which takes one command after the other, and two for shells that have something to do
 * before they are ready; more while several run at once.
 */
export class Runners {
  readonly #idle: IdleRunner[] = [];

  /** Hands a call to a runner that has nothing to do; undefined where the call was handed to one before. */
  async start(start: RunnerStart, request: (slot: Slot, runner: string) => boolean): Promise<BegunCall | undefined> {
    const runner = this.#take(start);
    try {
      const call = await runner.run((slot) => request(slot, runner.identity));
      void this.#restAfter(call?.exited, { runner, ready: start.ready });
      if (start.ready !== '') this.#keepSpare(start);
      return call;
    } catch (thrown) {
      runner.dismiss();
      throw thrown;
    }
  }

  /** To make a shell ready can take longer than a command does, so that two runners take turns, each with one that waits. */
  #keepSpare(start: RunnerStart): void {
    if (this.#idle.some(({ ready }) => ready === start.ready)) return;
    void this.#restAfter(undefined, { runner: new Runner(start), ready: start.ready });
  }

  #take(start: RunnerStart): Runner {
    for (;;) {
      // The one that has rested longest: its shell is ready.
      const at = this.#idle.findIndex(({ ready }) => ready === start.ready);
      const [idle] = at === -1 ? [] : this.#idle.splice(at, 1);
      if (idle === undefined) return new Runner(start);
      clearTimeout(idle.dismissal);
      if (!idle.runner.isDead) return idle.runner;
    }
  }

  /** Keeps a runner for the next command, for a while. */
  async #restAfter(
    exited: BegunCall['exited'] | undefined,
    { runner, ready }: Pick<IdleRunner, 'runner' | 'ready'>,
  ): Promise<void> {
    await exited;
    const dismissal = setTimeout(() => {
      this.#idle.splice(
        this.#idle.findIndex((idle) => idle.runner === runner),
        1,
      );
      runner.dismiss();
    }, idleMs);
    dismissal.unref();
    this.#idle.push({ runner, ready, dismissal });
  }

  /** Has no more commands for those that have nothing to do, and waits a moment for them to be gone, with their shells. */
  async dismissIdle(): Promise<void> {
    const idle = this.#idle.splice(0);
    if (idle.length === 0) return;
    for (const { runner, dismissal } of idle) {
      clearTimeout(dismissal);
      runner.dismiss();
    }
    const over = new AbortController();
    const waited = systemClock.sleep(longestEndMs, over.signal).catch(() => undefined);
    await Promise.race([Promise.all(idle.map(({ runner }) => runner.ended)), waited]);
    over.abort('over');
  }
}

interface IdleRunner {
  readonly runner: Runner;
  readonly ready: string;
  readonly dismissal: NodeJS.Timeout;
}

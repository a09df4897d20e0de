import { Runner } from './runner.ts';
import type { BegunCall, RunnerStart, Slot } from './runner.ts';

const idleMs = 30_000;

/** The runners of a process: as a rule one, which takes one command after the other; more while several run at once. */
export class Runners {
  readonly #idle: IdleRunner[] = [];

  /** Hands a call to a runner that has nothing to do; undefined where the call was handed to one before. */
  async start(start: RunnerStart, request: (slot: Slot, runner: string) => boolean): Promise<BegunCall | undefined> {
    const runner = this.#take(start);
    try {
      const call = await runner.run((slot) => request(slot, runner.identity));
      void this.#restAfter(call?.exited, runner);
      return call;
    } catch (thrown) {
      runner.dismiss();
      throw thrown;
    }
  }

  #take(start: RunnerStart): Runner {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      clearTimeout(idle.dismissal);
      if (!idle.runner.isDead) return idle.runner;
    }
    return new Runner(start);
  }

  /** Keeps a runner for the next command, for a while. */
  async #restAfter(exited: BegunCall['exited'] | undefined, runner: Runner): Promise<void> {
    await exited;
    const dismissal = setTimeout(() => {
      this.#idle.splice(
        this.#idle.findIndex((idle) => idle.runner === runner),
        1,
      );
      runner.dismiss();
    }, idleMs);
    dismissal.unref();
    this.#idle.push({ runner, dismissal });
  }
}

interface IdleRunner {
  readonly runner: Runner;
  readonly dismissal: NodeJS.Timeout;
}

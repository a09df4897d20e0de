import type { Clock } from '../base/clock.ts';

interface Tries {
  count: number;
  readonly until: number;
}

const mostTries = 10;
const spanMs = 10 * 60_000;
const mostSources = 1000;

/** Counts wrong codes and tokens by where they come from. After ten of them nothing is heard from there for a while. */
export class WrongTries {
  readonly #clock: Clock;
  readonly #bySource = new Map<string, Tries>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isShutOut(source: string): boolean {
    return (this.#current(source)?.count ?? 0) >= mostTries;
  }

  note(source: string): void {
    const tries = this.#current(source) ?? { count: 0, until: this.#clock.now() + spanMs };
    tries.count += 1;
    this.#bySource.set(source, tries);
    const [oldest] = this.#bySource.keys();
    if (this.#bySource.size > mostSources && oldest !== undefined) this.#bySource.delete(oldest);
  }

  #current(source: string): Tries | undefined {
    const tries = this.#bySource.get(source);
    if (tries === undefined || tries.until > this.#clock.now()) return tries;
    this.#bySource.delete(source);
    return undefined;
  }
}

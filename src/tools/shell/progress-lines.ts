import { stripVTControlCharacters } from 'node:util';
import type { Clock } from '../../base/clock.ts';
import { cut } from '../tool-outcomes.ts';

const betweenLinesMs = 250;
const quietMs = 10_000;
const longestLine = 200;

/** Shows now and then the newest line of a running command, and that it still runs while it is silent. */
export class ProgressLines {
  readonly #report: (text: string) => void;
  readonly #clock: Clock;
  readonly #startedAt: number;
  #shownAt = -Infinity;

  constructor(report: (text: string) => void, clock: Clock) {
    this.#report = report;
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
  }

  saw(bytes: Buffer): void {
    const now = this.#clock.monotonic();
    if (now - this.#shownAt < betweenLinesMs) return;
    const end = stripVTControlCharacters(bytes.subarray(-4 * longestLine).toString('utf8'));
    const line = end.split(/[\r\n]+/).findLast((text) => text.trim() !== '');
    if (line === undefined) return;
    this.#shownAt = now;
    this.#report(cut(line.trim(), longestLine));
  }

  /** Reports life until the signal aborts, so that whoever watches for stuck turns can tell slow from stuck. */
  async beat(signal: AbortSignal): Promise<void> {
    while (await this.#passes(quietMs, signal)) {
      const now = this.#clock.monotonic();
      if (now - this.#shownAt < quietMs) continue;
      this.#shownAt = now;
      this.#report(`still running after ${Math.round((now - this.#startedAt) / 1000)} s`);
    }
  }

  async #passes(ms: number, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#clock.sleep(ms, signal);
      return true;
    } catch {
      return false;
    }
  }
}

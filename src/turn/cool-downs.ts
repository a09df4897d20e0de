import type { Runtime } from '../model/runtime.ts';

const shortestMs = 60_000;
const longestMs = 4 * 60 * 60 * 1000;

/**
 * Which runtimes asked to be left alone for a while, by the monotonic clock. Shared by all sessions of a process: a limit
 * is the account's, not the conversation's.
 */
export class CoolDowns {
  readonly #until = new Map<string, number>();

  /** Leaves a runtime alone for as long as its server asked for, within bounds. */
  begin(runtime: Runtime, askedForMs: number | undefined, nowMs: number): void {
    const restMs = Math.min(Math.max(askedForMs ?? shortestMs, shortestMs), longestMs);
    this.#until.set(keyOf(runtime), nowMs + restMs);
  }

  /** How long a runtime still rests; 0 where it does not. */
  leftMs(runtime: Runtime, nowMs: number): number {
    return Math.max(0, (this.#until.get(keyOf(runtime)) ?? 0) - nowMs);
  }
}

function keyOf(runtime: Runtime): string {
  return `${runtime.baseUrl} ${runtime.model}`;
}

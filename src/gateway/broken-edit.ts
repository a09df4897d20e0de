import { addressKey } from '../model/session.ts';
import type { Address } from '../model/session.ts';
import type { SettingsState } from '../model/settings.ts';

// Whoever comes behind so many others is not told: better than to tell the first ones again.
const mostAddresses = 1000;

/** An edit that could not be taken over, and where that is known. Each place is told once, and so many of them at most. */
export class BrokenEdit {
  readonly #problems: readonly string[];
  readonly #settings: SettingsState;
  readonly #knownAt = new Set<string>();

  /** The settings are those that stay in use. */
  constructor(problems: readonly string[], settings: SettingsState) {
    this.#problems = problems;
    this.#settings = settings;
  }

  /** Whether the file was read whole since. */
  isMended(current: SettingsState): boolean {
    return current !== this.#settings;
  }

  includes(problem: string): boolean {
    return this.#problems.includes(problem);
  }

  /** What has to be said at an address: nothing where it is known. From now on it is. */
  newsFor(address: Address): readonly string[] {
    const key = addressKey(address);
    if (this.#knownAt.has(key) || this.#knownAt.size >= mostAddresses) return [];
    this.#knownAt.add(key);
    return this.#problems;
  }
}

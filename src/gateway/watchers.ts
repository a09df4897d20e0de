import { addressKey } from '../model/session.ts';
import type { Address } from '../model/session.ts';
import type { StepEvent, TurnRef } from '../model/turn.ts';

export type Watcher = (turn: TurnRef, event: StepEvent) => void;

/** Who looks at which address. Watchers join late and leave when they like; a turn never waits for one. */
export class Watchers {
  readonly #byAddress = new Map<string, Set<Watcher>>();

  watch(address: Address, watcher: Watcher): Disposable {
    const key = addressKey(address);
    const watchers = this.#byAddress.get(key) ?? new Set();
    this.#byAddress.set(key, watchers.add(watcher));
    return {
      [Symbol.dispose]: () => {
        watchers.delete(watcher);
        if (watchers.size === 0) this.#byAddress.delete(key);
      },
    };
  }

  show(address: Address, turn: TurnRef, event: StepEvent): void {
    for (const watcher of this.#byAddress.get(addressKey(address)) ?? []) watcher(turn, event);
  }
}

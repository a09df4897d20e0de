import { addressKey } from '../model/session.ts';
import type { Address } from '../model/session.ts';
import type { StepEvent, TurnRef } from '../model/turn.ts';

export type Watcher = (turn: TurnRef, event: StepEvent) => void;

/** Who looks at which address. Watchers join late and leave when they like; a turn never waits for one, nor fails by one. */
export class Watchers {
  readonly #onError: (thrown: unknown) => void;
  readonly #byAddress = new Map<string, Set<Watcher>>();

  constructor(onError: (thrown: unknown) => void) {
    this.#onError = onError;
  }

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
    for (const watcher of this.#byAddress.get(addressKey(address)) ?? []) {
      try {
        watcher(turn, event);
      } catch (thrown) {
        this.#onError(thrown);
      }
    }
  }
}

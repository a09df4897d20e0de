import type { SessionId } from '../base/ids.ts';
import type { Wake } from '../model/store.ts';

type Listener = (sessionId: SessionId) => void;

/** Wakes within one process: every listener is called before `wake` returns. */
export class InProcessWake implements Wake {
  readonly #listeners = new Map<symbol, Listener>();

  wake(sessionId: SessionId): void {
    const errors: unknown[] = [];
    for (const listener of Array.from(this.#listeners.values())) {
      try {
        listener(sessionId);
      } catch (thrown) {
        // One that fails must not keep the wake from the others.
        errors.push(thrown);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, `a listener failed when session ${sessionId} was woken`);
  }

  onWake(listener: Listener): Disposable {
    const key = Symbol('wake listener');
    this.#listeners.set(key, listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(key) };
  }
}

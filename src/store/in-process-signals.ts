import type { SessionId } from '../base/ids.ts';
import type { Signal, Signals } from '../model/store.ts';

type Listener = (signal: Signal) => void;

/** Signals within one process. One that finds no listener is dropped: no turn of the session is running. */
export class InProcessSignals implements Signals {
  readonly #listeners = new Map<SessionId, Map<symbol, Listener>>();

  send(sessionId: SessionId, signal: Signal): void {
    const errors: unknown[] = [];
    for (const listener of Array.from(this.#listeners.get(sessionId)?.values() ?? [])) {
      try {
        listener(signal);
      } catch (thrown) {
        // A listener that fails must not keep a stop from the others.
        errors.push(thrown);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, `a listener failed on a signal to session ${sessionId}`);
  }

  onSignal(sessionId: SessionId, listener: Listener): Disposable {
    const key = Symbol('signal listener');
    const ofSession = this.#listeners.get(sessionId) ?? new Map<symbol, Listener>();
    this.#listeners.set(sessionId, ofSession.set(key, listener));
    return { [Symbol.dispose]: () => this.#forget(sessionId, key) };
  }

  #forget(sessionId: SessionId, key: symbol): void {
    const ofSession = this.#listeners.get(sessionId);
    ofSession?.delete(key);
    if (ofSession?.size === 0) this.#listeners.delete(sessionId);
  }
}

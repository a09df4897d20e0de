import { describeError } from '../base/errors.ts';
import type { Provider } from '../model/provider.ts';
import { keyPlaces } from '../model/runtime.ts';
import type { Runtime, RuntimeChain } from '../model/runtime.ts';

export type Restored =
  | { readonly type: 'nothing-to-restore' }
  | { readonly type: 'restored' }
  | { readonly type: 'failed'; readonly reason: string };

export type Rebuilt = { readonly type: 'rebuilt' } | { readonly type: 'failed'; readonly reason: string };

/**
 * The model clients of one agent, one for each runtime of its chain that was ever needed. Which runtime a turn is at is
 * not kept here: a turn begins at the primary and the log says how far it fell back.
 */
export class RuntimeClients {
  readonly chain: RuntimeChain;
  readonly #connect: (runtime: Runtime) => Promise<Provider>;
  readonly #clients = new Map<number, Promise<Provider>>();

  constructor(chain: RuntimeChain, connect: (runtime: Runtime) => Promise<Provider>) {
    this.chain = chain;
    this.#connect = connect;
  }

  /** The client for a place in the chain, built when it is first needed. Rejects where it cannot be built. */
  at(place: number): Promise<Provider> {
    const known = this.#clients.get(place);
    if (known) return known;
    const building = this.#build(place);
    this.#clients.set(place, building);
    building.catch(() => {
      // By now another may have been built in its place.
      if (this.#clients.get(place) === building) this.#clients.delete(place);
    });
    return building;
  }

  /** At the start of every turn: lets go of the clients that an earlier turn fell back to, and makes the primary's ready. */
  async restorePrimary(): Promise<Restored> {
    const own = new Set(keyPlaces(this.chain, 0));
    const fallbacks = [...this.#clients.keys()].filter((place) => !own.has(place));
    if (fallbacks.length === 0) return { type: 'nothing-to-restore' };
    for (const place of fallbacks) await this.#close(place);
    try {
      await this.at(0);
      return { type: 'restored' };
    } catch (thrown) {
      return { type: 'failed', reason: describeError(thrown) };
    }
  }

  /** Closes a client and builds another in its place, with connections of its own. */
  async rebuild(place: number): Promise<Rebuilt> {
    await this.#close(place);
    try {
      await this.at(place);
      return { type: 'rebuilt' };
    } catch (thrown) {
      return { type: 'failed', reason: describeError(thrown) };
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.keys()].map((place) => this.#close(place)));
  }

  async #build(place: number): Promise<Provider> {
    const runtime = this.chain[place];
    if (runtime === undefined) throw new Error(`the chain has no runtime ${place}`);
    return await this.#connect(runtime);
  }

  async #close(place: number): Promise<void> {
    const client = this.#clients.get(place);
    this.#clients.delete(place);
    await client?.then(
      (provider) => provider.close(),
      () => undefined, // It was never built.
    );
  }
}

import type { Clock } from '../../src/base/clock.ts';
import type { Store } from '../../src/model/store.ts';
import { ManualClock } from './manual-clock.ts';

/** A place where a store can stand: a folder, a database. */
export interface StorePlace extends AsyncDisposable {
  readonly path: string;
}

/** What a module exports so that its store can be tested: a child process imports it as well. */
export interface StoreOpener {
  makePlace(): Promise<StorePlace>;
  openStore(place: string, clock: Clock): Promise<Store>;
}

/** A store at a place of its own, with a clock that stands still. It can be closed and opened again. */
export interface StoreHouse extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly place: string;
  readonly store: Store;
  reopen(): Promise<Store>;
}

export async function openStoreHouse(opener: StoreOpener): Promise<StoreHouse> {
  const place = await opener.makePlace();
  const clock = new ManualClock();
  let store = await opener.openStore(place.path, clock);
  return {
    clock,
    place: place.path,
    get store() {
      return store;
    },
    async reopen() {
      await store.close();
      store = await opener.openStore(place.path, clock);
      return store;
    },
    async [Symbol.asyncDispose]() {
      try {
        await store.close();
      } finally {
        await place[Symbol.asyncDispose]();
      }
    },
  };
}

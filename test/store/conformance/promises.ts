import type { StoreHouse, StoreOpener } from '../../support/store-house.ts';

export interface StoreSubject {
  readonly open: () => Promise<StoreHouse>;
  readonly opener: StoreOpener;
  readonly openerModule: URL;
}

/** Sentences that are true of every store, each with the check that holds it. */
export type Promises = Readonly<Record<string, (subject: StoreSubject) => Promise<void>>>;

import type { Clock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import type { Store } from '../../src/model/store.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-store.ts';
import { makeTempFolder } from './temp-folder.ts';

export const makePlace = makeTempFolder;

export function openStore(place: string, clock: Clock): Promise<Store> {
  return openSqliteStore({ folder: place, clock, log: silentLog });
}

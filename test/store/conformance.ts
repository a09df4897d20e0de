import { describe, test } from 'node:test';
import { openStoreHouse } from '../support/store-house.ts';
import type { StoreOpener } from '../support/store-house.ts';
import { blobPromises } from './conformance/blobs.ts';
import { crashPromises } from './conformance/crash.ts';
import { homeChatPromises } from './conformance/home-chats.ts';
import { inboxPromises } from './conformance/inbox.ts';
import { leasePromises } from './conformance/leases.ts';
import { moneyPromises } from './conformance/money.ts';
import { outboxPromises } from './conformance/outbox.ts';
import { peoplePromises } from './conformance/people.ts';
import type { Promises } from './conformance/promises.ts';
import { schedulePromises } from './conformance/schedules.ts';
import { searchPromises } from './conformance/search.ts';
import { sessionPromises } from './conformance/sessions.ts';
import { transactionPromises } from './conformance/transactions.ts';
import { turnPromises } from './conformance/turns.ts';
import { usagePromises } from './conformance/usages.ts';
import { webLoginPromises } from './conformance/web-logins.ts';

const promisesByPort: Readonly<Record<string, Promises>> = {
  turns: turnPromises,
  sessions: sessionPromises,
  inbox: inboxPromises,
  outbox: outboxPromises,
  leases: leasePromises,
  blobs: blobPromises,
  search: searchPromises,
  schedules: schedulePromises,
  money: moneyPromises,
  usages: usagePromises,
  people: peoplePromises,
  webLogins: webLoginPromises,
  'home chats': homeChatPromises,
  transactions: transactionPromises,
  crash: crashPromises,
};

/** Holds a store to everything that the ports promise. The module at the address opens it, here and in children. */
export function describeStoreConformance(name: string, openerModule: URL): void {
  for (const [port, promises] of Object.entries(promisesByPort)) {
    describe(`${name}: ${port}`, () => {
      for (const [sentence, check] of Object.entries(promises)) {
        test(sentence, async () => {
          const opener = (await import(openerModule.href)) as StoreOpener;
          await check({ open: () => openStoreHouse(opener), opener, openerModule });
        });
      }
    });
  }
}

import type { PersonId } from '../../base/ids.ts';
import type { HomeChats } from '../../model/store.ts';
import type { Database, Query } from './database.ts';
import type { Rows } from './rows.ts';
import { fromAddress, toAddress } from './sessions.ts';
import type { AddressColumns } from './sessions.ts';

interface HomeRow extends AddressColumns {
  readonly person: PersonId;
  readonly since: number;
}

const newestFirst: Query<HomeRow> = {
  sql: 'SELECT platform, account, chat, thread, member, person, since FROM home_chats ORDER BY since DESC, platform',
};

export function homeChatRows(db: Database): Rows<HomeChats> {
  return {
    list: () => db.all(newestFirst).map((row) => ({ address: toAddress(row), person: row.person, since: row.since })),
    set({ address, person, since }) {
      db.run(
        `INSERT OR REPLACE INTO home_chats (platform, account, chat, thread, member, person, since)
          VALUES (?, ?, ?, ?, ?, ?, ?)`,
        ...fromAddress(address),
        person,
        since,
      );
    },
  };
}

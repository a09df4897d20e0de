import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../src/base/clock.ts';
import { newId } from '../src/base/ids.ts';
import type { CallId, PersonId } from '../src/base/ids.ts';
import { silentLog } from '../src/base/log.ts';
import type { Store } from '../src/model/store.ts';
import type { TurnEntry, TurnRef } from '../src/model/turn.ts';
import { openSqliteStore } from '../src/store/sqlite/open-store.ts';
import type { Figure } from './figure.ts';
import { medianTimes } from './measure.ts';
import type { Product } from './product.ts';

const rounds = 15;
const appends = 320;
const sessions = 16;
const text = 'durable '.repeat(128);
const entry: TurnEntry = {
  type: 'tool.settled',
  callId: 'call_1' as CallId,
  outcome: { type: 'done', parts: [{ type: 'text', text }] },
};

/** Entries of 1 KB made durable each second, by one session and by many at once, beside bare commits of such rows. */
export async function measureAppends(product: Product): Promise<readonly Figure[]> {
  const folder = join(product.bareFolder, 'store');
  const store = await openSqliteStore({ folder, clock: systemClock, log: silentLog });
  using bare = openBareDatabase(join(product.bareFolder, 'bare.db'));
  const turns = await Promise.all(Array.from({ length: sessions }, (_, chat) => admit(store, String(chat))));
  const [first] = turns as [TurnRef];

  const times = await medianTimes(
    {
      bare: () => commitRows(bare),
      one: () => appendTo(store, first, appends),
      many: () => Promise.all(turns.map((turn) => appendTo(store, turn, appends / sessions))),
    },
    rounds,
  );
  await store.close();

  const floor = { name: 'bare SQLite commits', value: rate(times.bare) };
  const durable = { unit: 'a second', floor, bar: { type: 'none' } } as const;
  return [
    { ...durable, name: 'durable appends, one session', value: rate(times.one) },
    { ...durable, name: `durable appends, ${sessions} sessions`, value: rate(times.many) },
  ];
}

function rate(ms: number): number {
  return (appends * 1000) / ms;
}

async function admit(store: Store, chat: string): Promise<TurnRef> {
  const person = 'bench' as PersonId;
  const address = { platform: 'bench', account: '', chat, thread: '' };
  const session = await store.sessions.at({ address, person, workdir: '/' });
  const turn = { sessionId: session.id, turnId: newId('turn', Date.now()) };
  await store.turns.append(turn, [{ type: 'turn.admitted', parts: [{ type: 'text', text: 'go' }], person }]);
  return turn;
}

async function appendTo(store: Store, turn: TurnRef, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await store.turns.append(turn, [entry]);
}

function openBareDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE rows (text TEXT NOT NULL)');
  return database;
}

function commitRows(database: DatabaseSync): Promise<void> {
  const insert = database.prepare('INSERT INTO rows VALUES (?)');
  for (let index = 0; index < appends; index += 1) insert.run(text);
  return Promise.resolve();
}

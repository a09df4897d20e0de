import type { Clock } from '../../base/clock.ts';
import { newId } from '../../base/ids.ts';
import type {
  Blobs,
  HomeChats,
  Inbox,
  Leases,
  Money,
  Outbox,
  People,
  Schedules,
  Sessions,
  StoreTx,
  TurnLog,
  Usages,
  WebLogins,
} from '../../model/store.ts';
import { blobRows } from './blobs.ts';
import type { Database } from './database.ts';
import type { RunJob } from './group-commit.ts';
import { homeChatRows } from './home-chats.ts';
import { inboxRows } from './inbox.ts';
import { leaseRows } from './leases.ts';
import { moneyRows } from './money.ts';
import { outboxRows } from './outbox.ts';
import { peopleRows } from './people.ts';
import { toPort } from './rows.ts';
import type { Rows } from './rows.ts';
import { scheduleRows } from './schedules.ts';
import { sessionRows } from './sessions.ts';
import { turnRows } from './turns.ts';
import { usageRows } from './usages.ts';
import { webLoginRows } from './web-logins.ts';

export type StoreRows = { readonly [Name in keyof StoreTx]: Rows<StoreTx[Name]> };

/** What changes nothing, and so needs no commit. */
const reads: { readonly [Name in keyof StoreTx]: readonly (keyof StoreTx[Name])[] } = {
  turns: ['after', 'unsettled', 'consents'],
  sessions: ['find', 'get', 'frozenPrompt', 'matching', 'list'],
  inbox: [],
  outbox: ['get', 'waiting', 'after'],
  leases: [],
  blobs: ['read'],
  schedules: ['list', 'due'],
  money: ['spent'],
  usages: ['list'],
  people: ['list', 'has', 'offers'],
  webLogins: ['has'],
  homeChats: ['list'],
};

export function openRows(db: Database, clock: Clock): StoreRows {
  // Names this run of the program in rows that mean nothing to the next one.
  const run = newId('node', clock.now());
  return {
    turns: turnRows(db, clock),
    sessions: sessionRows(db, clock),
    inbox: inboxRows(db),
    outbox: outboxRows(db, clock, run),
    leases: leaseRows(db, clock, run),
    blobs: blobRows(db),
    schedules: scheduleRows(db),
    money: moneyRows(db, clock),
    usages: usageRows(db, clock),
    people: peopleRows(db),
    webLogins: webLoginRows(db),
    homeChats: homeChatRows(db),
  };
}

export interface PortsHooks {
  readonly run: RunJob;
  /** A deletion is over when nothing of the session can be read from the files, not when its rows are gone. */
  readonly afterDeletion: () => Promise<void>;
}

/** The ports over their rows. Each is made when it is first asked for: a transaction uses two or three of a dozen. */
export class Ports implements StoreTx {
  readonly #rows: StoreRows;
  readonly #hooks: PortsHooks;
  readonly #made: { -readonly [Name in keyof StoreTx]?: StoreTx[Name] } = {};

  constructor(rows: StoreRows, hooks: PortsHooks) {
    this.#rows = rows;
    this.#hooks = hooks;
  }

  get sessions(): Sessions {
    return (this.#made.sessions ??= this.#makeSessions());
  }

  get turns(): TurnLog {
    return (this.#made.turns ??= this.#make('turns'));
  }

  get inbox(): Inbox {
    return (this.#made.inbox ??= this.#make('inbox'));
  }

  get outbox(): Outbox {
    return (this.#made.outbox ??= this.#make('outbox'));
  }

  get leases(): Leases {
    return (this.#made.leases ??= this.#make('leases'));
  }

  get blobs(): Blobs {
    return (this.#made.blobs ??= this.#make('blobs'));
  }

  get schedules(): Schedules {
    return (this.#made.schedules ??= this.#make('schedules'));
  }

  get money(): Money {
    return (this.#made.money ??= this.#make('money'));
  }

  get usages(): Usages {
    return (this.#made.usages ??= this.#make('usages'));
  }

  get people(): People {
    return (this.#made.people ??= this.#make('people'));
  }

  get webLogins(): WebLogins {
    return (this.#made.webLogins ??= this.#make('webLogins'));
  }

  get homeChats(): HomeChats {
    return (this.#made.homeChats ??= this.#make('homeChats'));
  }

  #make<Name extends keyof StoreTx>(name: Name): StoreTx[Name] {
    return toPort<StoreTx[Name]>(this.#rows[name], reads[name], this.#hooks.run);
  }

  #makeSessions(): Sessions {
    const sessions = this.#make('sessions');
    const { afterDeletion } = this.#hooks;
    return {
      ...sessions,
      async delete(id) {
        await sessions.delete(id);
        await afterDeletion();
      },
    };
  }
}

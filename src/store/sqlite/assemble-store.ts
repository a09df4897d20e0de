import type { Clock } from '../../base/clock.ts';
import { AppError, describeError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import type {
  Blobs,
  HomeChats,
  Inbox,
  Leases,
  Money,
  Outbox,
  People,
  Schedules,
  Search,
  Sessions,
  Store,
  StoreTx,
  TurnLog,
  Usages,
  WebLogins,
} from '../../model/store.ts';
import { blobRows } from './blobs.ts';
import type { Database } from './database.ts';
import { explainError } from './explain-error.ts';
import { GroupCommit } from './group-commit.ts';
import type { RunJob } from './group-commit.ts';
import { homeChatRows } from './home-chats.ts';
import { guardIdentity } from './identity-guard.ts';
import { inboxRows } from './inbox.ts';
import { leaseRows } from './leases.ts';
import { moneyRows } from './money.ts';
import { outboxRows } from './outbox.ts';
import type { Ownership } from './ownership.ts';
import { peopleRows } from './people.ts';
import { prune } from './prune.ts';
import { hasTraces, removeTraces } from './remove-traces.ts';
import { toPort } from './rows.ts';
import { scheduleRows } from './schedules.ts';
import { searchRows } from './search.ts';
import { indexNowAndThen } from './search-index.ts';
import { sessionRows } from './sessions.ts';
import type { StoreFiles } from './store-files.ts';
import { turnRows } from './turns.ts';
import { usageRows } from './usages.ts';
import { webLoginRows } from './web-logins.ts';

export interface StoreParts {
  readonly db: Database;
  readonly files: StoreFiles;
  readonly ownership: Ownership;
  readonly clock: Clock;
  readonly log: Log;
}

/** The store over an open database whose schema is current. */
export function assembleStore({ db, files, ownership, clock, log }: StoreParts): Store {
  const guard = guardIdentity([files.database, files.writeAheadLog, files.sharedMemory]);
  const commits = new GroupCommit(db, {
    beforeWriting: guard,
    beforeCommit: indexNowAndThen(db),
    explain: (thrown) => explainError(thrown, files),
  });
  const makePorts = portMaker(db, clock);
  const ports = makePorts(commits.run);
  const deletions = { db, commits, backups: files.backups };
  const forget = (): Promise<void> => removeTraces(deletions);
  const finishing = hasTraces(db) ? forget().catch((thrown: unknown) => reportTraces(log, thrown)) : undefined;
  let closing: Promise<void> | undefined;
  return {
    ...ports,
    sessions: thenForget(ports.sessions, forget),
    search: toPort<Search>(searchRows(db), ['lastSaid'], commits.run),
    transaction: (work) => transaction(work, { commits, makePorts, forget }),
    prune: (activeBefore) => prune(deletions, activeBefore),
    close() {
      closing ??= close({ db, commits, ownership, guard, finishing });
      return closing;
    },
  };
}

type PortMaker = (run: RunJob) => StoreTx;

function portMaker(db: Database, clock: Clock): PortMaker {
  // Names this run of the program in rows that mean nothing to the next one.
  const run = newId('node', clock.now());
  const turns = turnRows(db, clock);
  const sessions = sessionRows(db, clock);
  const inbox = inboxRows(db);
  const outbox = outboxRows(db, clock, run);
  const leases = leaseRows(db, clock, run);
  const blobs = blobRows(db);
  const schedules = scheduleRows(db);
  const money = moneyRows(db, clock);
  const usages = usageRows(db, clock);
  const people = peopleRows(db);
  const webLogins = webLoginRows(db);
  const homeChats = homeChatRows(db);
  return (runJob) => ({
    turns: toPort<TurnLog>(turns, ['after', 'unsettled', 'consents'], runJob),
    sessions: toPort<Sessions>(sessions, ['find', 'get', 'matching', 'list'], runJob),
    inbox: toPort<Inbox>(inbox, ['open'], runJob),
    outbox: toPort<Outbox>(outbox, ['get', 'waiting', 'after'], runJob),
    leases: toPort<Leases>(leases, [], runJob),
    blobs: toPort<Blobs>(blobs, ['read'], runJob),
    schedules: toPort<Schedules>(schedules, ['list', 'due'], runJob),
    money: toPort<Money>(money, ['spent'], runJob),
    usages: toPort<Usages>(usages, ['list'], runJob),
    people: toPort<People>(people, ['list', 'has', 'offers'], runJob),
    webLogins: toPort<WebLogins>(webLogins, ['has'], runJob),
    homeChats: toPort<HomeChats>(homeChats, ['list'], runJob),
  });
}

/** A deletion is over when nothing of the session can be read from the files, not when its rows are gone. */
function thenForget(sessions: Sessions, forget: () => Promise<void>): Sessions {
  return {
    ...sessions,
    async delete(id) {
      await sessions.delete(id);
      await forget();
    },
  };
}

function reportTraces(log: Log, thrown: unknown): void {
  log.write('warn', 'traces of a deleted session are still in the files', { error: describeError(thrown) });
}

interface TransactionParts {
  readonly commits: GroupCommit;
  readonly makePorts: PortMaker;
  readonly forget: () => Promise<void>;
}

async function transaction<Result>(
  work: (tx: StoreTx) => Promise<Result>,
  { commits, makePorts, forget }: TransactionParts,
): Promise<Result> {
  let hasDeleted = false;
  const noteDeletion = async (): Promise<void> => {
    hasDeleted = true;
  };
  const result = await commits.transaction((run) => {
    const tx = makePorts(run);
    return work({ ...tx, sessions: thenForget(tx.sessions, noteDeletion) });
  });
  if (hasDeleted) await forget();
  return result;
}

interface OpenStore {
  readonly db: Database;
  readonly commits: GroupCommit;
  readonly ownership: Ownership;
  readonly guard: () => void;
  /** The removal of traces that an earlier run left. */
  readonly finishing: Promise<void> | undefined;
}

async function close({ db, commits, ownership, guard, finishing }: OpenStore): Promise<void> {
  if (finishing !== undefined) await finishing;
  await commits.close(new AppError('store-closed', 'the store is closed'));
  try {
    // Closing writes to the files and removes the log by its name: not if the name has become someone else's.
    guard();
    db.close();
  } finally {
    ownership.release();
  }
}

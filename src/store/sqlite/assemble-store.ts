import type { Clock } from '../../base/clock.ts';
import { AppError, describeError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Search, Store, StoreTx } from '../../model/store.ts';
import type { Database } from './database.ts';
import { explainError } from './explain-error.ts';
import { GroupCommit } from './group-commit.ts';
import { guardIdentity } from './identity-guard.ts';
import type { Ownership } from './ownership.ts';
import { openRows, Ports } from './ports.ts';
import type { StoreRows } from './ports.ts';
import { prune } from './prune.ts';
import { hasTraces, removeTraces } from './remove-traces.ts';
import { toPort } from './rows.ts';
import { searchRows } from './search.ts';
import { indexNowAndThen } from './search-index.ts';
import type { StoreFiles } from './store-files.ts';

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
  const rows = openRows(db, clock);
  const deletions = { db, commits, backups: files.backups };
  const forget = (): Promise<void> => removeTraces(deletions);
  const finishing = hasTraces(db) ? forget().catch((thrown: unknown) => reportTraces(log, thrown)) : undefined;
  let closing: Promise<void> | undefined;
  return Object.assign(new Ports(rows, { run: commits.run, afterDeletion: forget }), {
    search: toPort<Search>(searchRows(db), ['lastSaid'], commits.run),
    transaction: <Result>(work: (tx: StoreTx) => Promise<Result>) => transaction(work, { commits, rows, forget }),
    prune: (activeBefore: number) => prune(deletions, activeBefore),
    close() {
      closing ??= close({ db, commits, ownership, guard, finishing });
      return closing;
    },
  });
}

function reportTraces(log: Log, thrown: unknown): void {
  log.write('warn', 'traces of a deleted session are still in the files', { error: describeError(thrown) });
}

interface TransactionParts {
  readonly commits: GroupCommit;
  readonly rows: StoreRows;
  readonly forget: () => Promise<void>;
}

async function transaction<Result>(
  work: (tx: StoreTx) => Promise<Result>,
  { commits, rows, forget }: TransactionParts,
): Promise<Result> {
  let hasDeleted = false;
  const afterDeletion = async (): Promise<void> => {
    hasDeleted = true;
  };
  const result = await commits.transaction((run) => work(new Ports(rows, { run, afterDeletion })));
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

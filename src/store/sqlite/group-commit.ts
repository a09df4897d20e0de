import { AppError, isAppError } from '../../base/errors.ts';
import type { Database } from './database.ts';

/** Runs one piece of work on the database and resolves with what it returned. */
export type RunJob = <Result>(access: 'read' | 'write', work: () => Result) => Promise<Result>;

export interface CommitHooks {
  /** Throws where nothing may be written any more. */
  readonly beforeWriting: () => void;
  /** The last work of every transaction, once for all of its jobs. */
  readonly beforeCommit: () => void;
  /** Words an error of the database for a person; what the work itself threw stays as it is. */
  readonly explain: (thrown: unknown) => unknown;
}

interface Job {
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

type Outcome =
  | { readonly type: 'done'; readonly value: unknown }
  | { readonly type: 'failed'; readonly error: unknown };

// Bounds how long one transaction, and all that goes on once it is durable, keep the event loop busy.
const largestBatch = 16;

/**
 * Lets the jobs of one tick of the event loop share a transaction, and so one flush of the disk. A promise resolves only
 * after the COMMIT returned. Each job has a savepoint: one that fails undoes itself alone. While a transaction is
 * open nothing else runs on the connection, so no one reads what might still be undone.
 */
export class GroupCommit {
  readonly #db: Database;
  readonly #hooks: CommitHooks;
  #queue: Job[] = [];
  #isScheduled = false;
  #batch: Promise<void> | undefined;
  #closedBy: AppError | undefined;
  #brokenBy: unknown;

  constructor(db: Database, hooks: CommitHooks) {
    this.#db = db;
    this.#hooks = hooks;
  }

  /** The way in for single calls: a read runs at once, a write with the next commit. */
  readonly run: RunJob = (access, work) => (access === 'read' ? this.betweenCommits(work) : this.#enqueue(work));

  /** All of the work or none of it. It may wait for the calls that it makes through `run`, and for nothing else. */
  async transaction<Result>(work: (run: RunJob) => Promise<Result>): Promise<Result> {
    return await this.#enqueue(async () => {
      const scope = { isOpen: true };
      try {
        return await withinThisTick(() => work((_access, job) => this.#runInScope(scope, job)));
      } finally {
        scope.isOpen = false;
      }
    });
  }

  /** Changes files outside of any transaction, as a checkpoint must; only where writing is still allowed. */
  async maintain<Result>(work: () => Result): Promise<Result> {
    return await this.betweenCommits(() => {
      this.#refuseIfBroken();
      return work();
    });
  }

  /** Runs work while no transaction is open. */
  async betweenCommits<Result>(work: () => Result): Promise<Result> {
    if (this.#closedBy !== undefined) throw this.#closedBy;
    while (this.#batch !== undefined) await this.#batch;
    try {
      return work();
    } catch (thrown) {
      throw this.#explain(thrown);
    }
  }

  /** Refuses whatever comes from now on, and resolves when all that came before is stored or refused. */
  async close(reason: AppError): Promise<void> {
    this.#closedBy ??= reason;
    // The extra tick lets reads that waited for the last commit run before the connection goes.
    do await new Promise((resolve) => setImmediate(resolve));
    while (this.#isScheduled);
  }

  #enqueue<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const refusal = this.#closedBy ?? this.#brokenBy;
    if (refusal !== undefined) {
      reject(refusal);
      return promise;
    }
    this.#queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
    this.#schedule();
    return promise;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      // Set before the first job starts, so that not even a read from inside of it can slip in.
      this.#batch = Promise.resolve().then(() => this.#commitBatch());
    });
  }

  /** Never rejects: what goes wrong reaches those who asked. */
  async #commitBatch(): Promise<void> {
    const jobs = this.#queue.splice(0, largestBatch);
    try {
      const outcomes = await this.#runBatch(jobs);
      for (const [index, job] of jobs.entries()) settle(job, outcomes[index]);
    } catch (thrown) {
      this.#refuseBatch(jobs, this.#explain(thrown));
    } finally {
      this.#batch = undefined;
      this.#isScheduled = false;
      if (this.#queue.length > 0) this.#schedule();
    }
  }

  async #runBatch(jobs: readonly Job[]): Promise<readonly Outcome[]> {
    this.#refuseIfBroken();
    this.#db.run('BEGIN IMMEDIATE');
    const [first, ...others] = jobs;
    const isAlone = first !== undefined && others.length === 0;
    const outcomes = isAlone ? [await this.#runAlone(first)] : await this.#runTogether(jobs);
    // One that failed alone has undone it all. Where a job did not notice that SQLite did, the commit fails.
    if (isAlone && outcomes[0]?.type === 'failed') return outcomes;
    this.#hooks.beforeCommit();
    this.#db.run('COMMIT');
    return outcomes;
  }

  async #runTogether(jobs: readonly Job[]): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const job of jobs) outcomes.push(await this.#runJob(job));
    return outcomes;
  }

  /** Without a savepoint: there is nobody whose work must stay. */
  async #runAlone(job: Job): Promise<Outcome> {
    try {
      return { type: 'done', value: await job.work() };
    } catch (thrown) {
      if (this.#db.isInTransaction) this.#db.run('ROLLBACK');
      return { type: 'failed', error: this.#explain(thrown) };
    }
  }

  #refuseIfBroken(): void {
    if (this.#brokenBy !== undefined) throw this.#brokenBy;
    this.#hooks.beforeWriting();
  }

  async #runJob(job: Job): Promise<Outcome> {
    this.#db.run('SAVEPOINT job');
    try {
      const value = await job.work();
      this.#db.run('RELEASE job');
      return { type: 'done', value };
    } catch (thrown) {
      // Where SQLite has undone the whole transaction, no job of the batch may be told that it succeeded.
      if (!this.#db.isInTransaction) throw thrown;
      this.#db.run('ROLLBACK TO job');
      this.#db.run('RELEASE job');
      return { type: 'failed', error: this.#explain(thrown) };
    }
  }

  #refuseBatch(jobs: readonly Job[], error: unknown): void {
    try {
      if (this.#db.isInTransaction) this.#db.run('ROLLBACK');
    } catch (thrown) {
      this.#brokenBy = this.#explain(thrown);
    }
    for (const job of jobs) job.reject(error);
  }

  #explain(thrown: unknown): unknown {
    const error = this.#hooks.explain(thrown);
    // A damaged file must not get another byte from us; a full disk may have room again.
    if (isAppError(error, 'corrupt-store')) this.#brokenBy = error;
    return error;
  }

  async #runInScope<Result>(scope: { readonly isOpen: boolean }, work: () => Result): Promise<Result> {
    if (!scope.isOpen) throw new AppError('store-failed', 'the transaction is over');
    try {
      return work();
    } catch (thrown) {
      throw this.#explain(thrown);
    }
  }
}

function settle(job: Job, outcome: Outcome | undefined): void {
  if (outcome?.type === 'done') job.resolve(outcome.value);
  else job.reject(outcome?.error ?? new AppError('store-failed', 'the store lost a result'));
}

/**
 * Calls of the store resolve within the tick, so whoever is not done when the tick ends waits for something else, and
 * would keep every other session waiting with it.
 */
async function withinThisTick<Result>(work: () => Promise<Result>): Promise<Result> {
  const { promise: tickEnd, reject } = Promise.withResolvers<never>();
  const immediate = setImmediate(() => {
    reject(new AppError('store-failed', 'a transaction waited for something other than the store and was undone'));
  });
  try {
    return await Promise.race([work(), tickEnd]);
  } finally {
    clearImmediate(immediate);
  }
}

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

/** SQL that gives rows, together with their type; `row` is never set. */
export interface Query<Row> {
  readonly sql: string;
  readonly row?: Row;
}

/** One connection with its statements: each text of SQL is prepared once and kept. */
export class Database {
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
  }

  /** False as soon as SQLite itself has undone a transaction, as it does when the disk is full. */
  get isInTransaction(): boolean {
    return this.#connection.isTransaction;
  }

  /** Runs statements that are needed once, such as a migration's. */
  exec(sql: string): void {
    this.#connection.exec(sql);
  }

  /** Runs a change and returns how many rows it touched. */
  run(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...values).changes);
  }

  /** Inserts one row and returns its number. */
  insert(sql: string, ...values: readonly SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...values).lastInsertRowid);
  }

  get<Row>({ sql }: Query<Row>, ...values: readonly SQLInputValue[]): Row | undefined {
    return this.#prepare(sql).get(...values) as Row | undefined;
  }

  all<Row>({ sql }: Query<Row>, ...values: readonly SQLInputValue[]): readonly Row[] {
    return this.#prepare(sql).all(...values) as unknown as readonly Row[];
  }

  /** Closes the connection; SQLite then moves the write-ahead log into the database and removes it. */
  close(): void {
    this.#statements.clear();
    this.#connection.close();
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#connection.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

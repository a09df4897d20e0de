import { AppError } from '../../base/errors.ts';
import type { Database, Query } from './database.ts';
import type { Migration } from './schema.ts';

export interface MigrationSteps {
  readonly migrations: readonly Migration[];
  readonly now: () => number;
  /** Keeps a copy of a database that has something in it, before the first step touches it. */
  readonly backUp: (version: number) => void;
  /** Told of each moment in which a crash would hurt most; tests kill the process there. */
  readonly reach?: (moment: MigrationMoment, version: number) => void;
}

export type MigrationMoment = 'before-backup' | 'after-backup' | 'before-commit' | 'after-commit';

const versionTable: Query<unknown> = { sql: `SELECT 1 FROM sqlite_schema WHERE name = 'schema_versions'` };
const newestVersion: Query<{ version: number | null }> = { sql: 'SELECT max(version) AS version FROM schema_versions' };

/**
 * Brings the schema to the newest version, one step a transaction with its version row, so that a crash leaves the old or
 * the new and nothing between. A database of a newer program is refused untouched.
 */
export function migrate(db: Database, steps: MigrationSteps): void {
  const current = schemaVersion(db);
  const newest = steps.migrations.at(-1)?.version ?? 0;
  if (current > newest) {
    const versions = `its schema is version ${current}, and this program knows ${newest}`;
    throw new AppError('newer-schema', `the database belongs to a newer program (${versions}); update the program`);
  }
  if (current === newest) return;
  if (current > 0) {
    steps.reach?.('before-backup', current);
    steps.backUp(current);
    steps.reach?.('after-backup', current);
  }
  for (const migration of steps.migrations) {
    if (migration.version > current) takeStep(db, migration, steps);
  }
}

/** Of a database that has no schema yet it is 0. */
export function schemaVersion(db: Database): number {
  return db.get(versionTable) === undefined ? 0 : (db.get(newestVersion)?.version ?? 0);
}

function takeStep(db: Database, { version, sql }: Migration, steps: MigrationSteps): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    db.exec('CREATE TABLE IF NOT EXISTS schema_versions (version INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT');
    db.exec(sql);
    db.run('INSERT INTO schema_versions (version, at) VALUES (?, ?)', version, steps.now());
    steps.reach?.('before-commit', version);
    db.exec('COMMIT');
  } catch (thrown) {
    if (db.isInTransaction) db.exec('ROLLBACK');
    throw thrown;
  }
  steps.reach?.('after-commit', version);
}

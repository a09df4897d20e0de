import { migrations } from '../../src/store/sqlite/schema.ts';
import type { Migration } from '../../src/store/sqlite/schema.ts';

/** The schema as released, and two made-up steps behind it, as a later program would have. */
export const laterMigrations: readonly Migration[] = [
  ...migrations,
  { version: 1001, sql: `ALTER TABLE sessions ADD COLUMN colour TEXT; UPDATE sessions SET colour = 'red'` },
  { version: 1002, sql: `CREATE TABLE later (x TEXT) STRICT; INSERT INTO later SELECT colour FROM sessions` },
];

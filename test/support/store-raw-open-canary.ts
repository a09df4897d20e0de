import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

// Shows why nothing may ever open a live database by its path: the close of any descriptor drops every lock that this
// process holds on the file, and the next program that looks at the database removes the log under our hands.
const [, , path, raw] = process.argv;
if (path === undefined) throw new Error('usage: <database> [open]');

const database = new DatabaseSync(path);
database.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t (x)');
if (raw === 'open') readFileSync(path);
execFileSync('sqlite3', [path, 'SELECT count(*) FROM t']);
for (let number = 0; number < 50; number += 1) database.exec(`INSERT INTO t VALUES (${number})`);
process.kill(process.pid, 'SIGKILL');

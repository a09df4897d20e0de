import { DatabaseSync } from 'node:sqlite';

// A program that has no business with the database: it begins a transaction with the given words and keeps it.
const [, , path, begin] = process.argv;
if (path === undefined || begin === undefined) throw new Error('usage: <database> <sql>');

const database = new DatabaseSync(path);
database.exec(begin);
process.stdout.write('holding\n');
process.stdin.resume();
process.stdin.on('end', () => database.close());

import { test } from 'node:test';
import { runRaces } from '../tools/files/races.ts';

const calls = Number(process.env['TALARIA_DEEP'] ?? 10_000);

test(`while somebody swaps folders and files for links, ${3 * calls} calls read and write nothing that was not judged`, async (t) => {
  t.diagnostic(JSON.stringify(await runRaces({ read: calls, write: calls, patch: calls, search: calls / 20 })));
});

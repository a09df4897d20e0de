import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runRaces } from './races.ts';

test('while somebody swaps folders and files for links, 2,000 calls read, write and find nothing that was not judged', async (t) => {
  const report = await runRaces({ read: 1100, write: 400, patch: 400, search: 100 });

  t.diagnostic(JSON.stringify(report));
  assert.ok(
    report.read > 0 && report.write > 0 && report.patch > 0 && report.search > 0,
    'some calls find the true file',
  );
});

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { renderNotices } from '../../scripts/render-notices.ts';

const root = join(import.meta.dirname, '..', '..');

test('the third-party notices name every production dependency of the lockfile with its licence', async () => {
  const kept = await readFile(join(root, 'THIRD-PARTY-NOTICES.md'), 'utf8');

  assert.equal(kept, await renderNotices(root), 'run `npm run notices`');
});

test('the lockfile names no download address', async () => {
  const lockfile = await readFile(join(root, 'package-lock.json'), 'utf8');

  assert.doesNotMatch(lockfile, /"resolved"/);
});

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkArchitecture } from './architecture/check.ts';
import { readSources } from './architecture/source.ts';

test('the tree keeps the rules of the house', async () => {
  const root = join(import.meta.dirname, '..');
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { dependencies: object };
  const sources = await readSources(root, ['src', 'ui', 'test']);

  const findings = checkArchitecture(sources, new Set(Object.keys(manifest.dependencies)));

  assert.ok(sources.length > 0);
  assert.deepEqual(
    findings.map(({ rule, path, line, message }) => `${path}:${line} ${message} (${rule})`),
    [],
  );
});

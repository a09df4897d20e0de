import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readTextFile } from '../../src/store/read-text-file.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

test('a text file is read; where there is none, that is no problem', async () => {
  await using folder = await makeTempFolder();
  const path = join(folder.path, 'a.md');
  writeFileSync(path, 'grüß dich');

  assert.deepEqual(readTextFile(path), { type: 'text', text: 'grüß dich' });
  assert.deepEqual(readTextFile(join(folder.path, 'b.md')), { type: 'missing' });
  assert.deepEqual(readTextFile(join(path, 'c.md')), { type: 'missing' });
});

test('a folder, a pipe that nobody writes to and a file without end are refused, and nobody waits for them', async () => {
  await using folder = await makeTempFolder();
  const [pipe, sub, large] = ['pipe', 'sub', 'large'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  execFileSync('mkfifo', [pipe]);
  mkdirSync(sub);
  writeFileSync(large, '');
  truncateSync(large, 5 * 1024 ** 3);

  for (const path of [pipe, sub, '/dev/zero']) {
    assert.deepEqual(readTextFile(path), { type: 'refused', problem: 'it is not a file' });
  }
  const problem = 'it is too large (5,368,709,120 bytes, where 1,048,576 are read)';
  assert.deepEqual(readTextFile(large), { type: 'refused', problem });
});

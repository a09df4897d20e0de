import assert from 'node:assert/strict';
import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createLogFile } from '../../src/store/home/log-file.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

test('lines are appended to a file that only its owner can read', async () => {
  await using folder = await makeTempFolder();
  const write = createLogFile(join(folder.path, 'logs'));

  write('one');
  write('two');

  const path = join(folder.path, 'logs', 'talaria.log');
  assert.equal(await readFile(path, 'utf8'), 'one\ntwo\n');
  assert.equal((await stat(path)).mode & 0o777, 0o600);
});

test('a large log is put aside, so that logs never fill the disk', async () => {
  await using folder = await makeTempFolder();
  const path = join(folder.path, 'talaria.log');
  await writeFile(path, 'old');
  await truncate(path, 6 * 1024 * 1024);

  createLogFile(folder.path)('new');

  assert.equal(await readFile(path, 'utf8'), 'new\n');
  assert.equal((await stat(`${path}.1`)).size, 6 * 1024 * 1024);
});

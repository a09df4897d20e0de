import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openHome } from '../../../src/store/home/home-folder.ts';
import { openMemoryFiles } from '../../../src/store/home/memory-files.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { describeMemoryConformance } from '../memory-conformance.ts';

describeMemoryConformance('the memory in files', async () => {
  const folder = await makeTempFolder();
  const home = await openHome({ TALARIA_HOME: join(folder.path, 'home') });
  return { open: () => openMemoryFiles(home), [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
});

test('what a person writes into the files is remembered, and a save leaves no other file', async () => {
  await using folder = await makeTempFolder();
  const home = await openHome({ TALARIA_HOME: join(folder.path, 'home') });
  writeFileSync(join(home.path, 'USER.md'), 'by hand', { mode: 0o644 });
  const memory = openMemoryFiles(home);

  assert.deepEqual(await memory.load(), [{ name: 'USER.md', text: 'by hand' }]);
  await memory.save('USER.md', 'by the agent');

  const path = join(home.path, 'USER.md');
  assert.equal(readFileSync(path, 'utf8'), 'by the agent');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(
    readdirSync(home.path).filter((name) => name.includes('USER')),
    ['USER.md'],
  );
});

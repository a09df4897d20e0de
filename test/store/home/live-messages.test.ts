import assert from 'node:assert/strict';
import { appendFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { silentLog } from '../../../src/base/log.ts';
import type { LiveMessage } from '../../../src/model/live-messages.ts';
import { FileLiveMessages } from '../../../src/store/home/live-messages.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const preview: LiveMessage = { type: 'preview', account: '7', chat: '42', id: 101 };
const question: LiveMessage = { type: 'question', account: '7', chat: '42', id: 102, digest: 'abc' };

function open(file: string): FileLiveMessages {
  return new FileLiveMessages(file, silentLog);
}

test('the next run finds what was noted and not taken back, in a file that is closed to others', async () => {
  await using folder = await makeTempFolder();
  const file = join(folder.path, 'live.json');
  const live = open(file);

  await Promise.all([preview, question, { ...preview, id: 103 }].map((message) => live.add(message)));
  const isGone = await live.remove([{ ...preview, id: 103 }]);
  const left = open(file);
  await left.remove([preview]);

  assert.equal(isGone, true);
  assert.deepEqual(left.left, [preview, question]);
  assert.deepEqual(open(file).left, [question]);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
});

test('what is shorter than before leaves nothing of it, and what a crash left behind the first line does not count', async () => {
  await using folder = await makeTempFolder();
  const file = join(folder.path, 'live.json');
  const live = open(file);
  await live.add(preview);
  await live.add(question);
  await live.remove([question]);
  const written = await readFile(file, 'utf8');

  await appendFile(file, 'c"}]\n');

  assert.deepEqual(JSON.parse(written), [preview]);
  assert.deepEqual(open(file).left, [preview]);
});

for (const text of [
  '',
  'no JSON',
  '{}',
  '[1, {"type":"preview"}, {"type":"other","account":"7","chat":"42","id":1}]',
]) {
  test(`a file that says ${JSON.stringify(text)} says that nothing was left`, async () => {
    await using folder = await makeTempFolder();
    const file = join(folder.path, 'live.json');
    await writeFile(file, text);

    assert.deepEqual(open(file).left, []);
  });
}

test('whoever takes a message back learns that the file could not be changed', async () => {
  await using folder = await makeTempFolder();
  const file = join(folder.path, 'live.json');
  await mkdir(file);
  const live = open(file);
  await live.add(preview);

  assert.equal(await live.remove([preview]), false);
});

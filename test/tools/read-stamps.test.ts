import assert from 'node:assert/strict';
import { readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openToolBench } from './open-toolbox.ts';

test('FILE-08 a file that someone changed since it was read is not overwritten whole until it is read again', async () => {
  await using bench = await openToolBench();
  const path = join(bench.workdir, 'f');
  await writeFile(path, 'one\n');
  await bench.run('read_file', { path });
  await writeFile(path, 'theirs\n');

  const refused = await bench.outcome('write_file', { path, content: 'mine\n' });
  await bench.run('read_file', { path });
  const written = await bench.outcome('write_file', { path, content: 'mine\n' });

  assert.equal(refused.type, 'failed');
  assert.match(refused.type === 'failed' ? refused.message : '', /was changed since you last read it/);
  assert.equal(written.type, 'done');
  assert.equal(await readFile(path, 'utf8'), 'mine\n');
});

test('a patch on a file that someone changed since keeps their change and says so', async () => {
  await using bench = await openToolBench();
  const path = join(bench.workdir, 'f');
  await writeFile(path, 'one\ntwo\n');
  await bench.run('read_file', { path });
  await writeFile(path, 'one\nTHEIRS\ntwo\n');

  const text = await bench.run('patch', { path, old_string: 'two', new_string: 'three' });
  const again = await bench.run('patch', { path, old_string: 'three', new_string: 'four' });

  assert.match(text, /\[the file was changed since you last read it/);
  assert.doesNotMatch(again, /changed since/);
  assert.equal(await readFile(path, 'utf8'), 'one\nTHEIRS\nfour\n');
});

test('a change that leaves size and name as they were is noticed, and another conversation knows nothing of it', async () => {
  await using bench = await openToolBench();
  const path = join(bench.workdir, 'f');
  await writeFile(path, 'one\n');
  await bench.run('read_file', { path });
  await writeFile(path, 'two\n');
  await utimes(path, new Date(1_000), new Date(1_000));

  const ours = await bench.outcome('write_file', { path, content: 'x' });
  const others = await bench.outcome('write_file', { path, content: 'x' }, { sessionId: 'ses_other' as never });

  assert.deepEqual([ours.type, others.type], ['failed', 'done']);
});

test('what the model wrote itself is no change by someone else', async () => {
  await using bench = await openToolBench();
  await bench.run('write_file', { path: 'f', content: 'one' });

  const outcome = await bench.outcome('write_file', { path: 'f', content: 'two' });

  assert.equal(outcome.type, 'done');
});

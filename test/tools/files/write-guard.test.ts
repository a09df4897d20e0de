import assert from 'node:assert/strict';
import { mkdir, readdir, rename, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { openToolBench } from '../open-toolbox.ts';

test('a write that waited for another one is not carried elsewhere by a link put there meanwhile', async () => {
  await using bench = await openToolBench();
  const { workdir } = bench;
  const outside = join(dirname(workdir), 'outside');
  await mkdir(join(workdir, 'sub'));
  await mkdir(outside);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();

  const holding = bench.checkpoints.locks.run(join(workdir, 'sub/file'), () => released);
  const { run } = await bench.prepare('write_file', { path: 'sub/file', content: 'x' });
  const writing = run();
  // The path is found before the lock is waited for; whoever comes behind the write in the line comes after that.
  const behind = bench.checkpoints.locks.run(join(workdir, 'sub/file'), () => Promise.resolve());
  await rename(join(workdir, 'sub'), join(workdir, 'was-sub'));
  await symlink(outside, join(workdir, 'sub'));
  release();
  await Promise.all([holding, behind]);

  assert.equal((await writing).type, 'refused');
  assert.deepEqual(await readdir(outside), []);
});

import assert from 'node:assert/strict';
import { mkdir, readdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { newId } from '../../../src/base/ids.ts';
import { PathLocks } from '../../../src/tools/files/path-locks.ts';
import { WriteGuard } from '../../../src/tools/files/write-guard.ts';
import { writeWhole } from '../../../src/tools/files/write-whole.ts';
import { TaskState } from '../../../src/tools/task-state.ts';
import { Workspace } from '../../../src/tools/workspace.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

test('a write that waited for another one is not carried elsewhere by a link put there meanwhile', async () => {
  await using folder = await makeTempFolder();
  const [workdir, taskFolder] = [join(folder.path, 'work'), join(folder.path, 'tasks')];
  await mkdir(join(workdir, 'sub'), { recursive: true });
  await mkdir(join(folder.path, 'outside'));
  const state = new TaskState(taskFolder);
  const environment = { HOME: join(folder.path, 'user') };
  const workspace = new Workspace({ state, homeFolder: join(folder.path, 'home'), taskFolder, environment });
  const locks = new PathLocks();
  const guard = new WriteGuard<{ path: string }>(workspace, locks, (path) => path);
  const place = { sessionId: newId('session', Date.now()), workdir };
  const { promise: released, resolve: release } = Promise.withResolvers<void>();

  const holding = locks.run(join(workdir, 'sub/file'), () => released);
  const writing = guard.run({ path: 'sub/file' }, place, (path) => writeWhole(path, 'x'));
  await rename(join(workdir, 'sub'), join(workdir, 'was-sub'));
  await symlink(join(folder.path, 'outside'), join(workdir, 'sub'));
  release();
  await holding;

  assert.equal((await writing).type, 'refused');
  assert.deepEqual(await readdir(join(folder.path, 'outside')), []);
});

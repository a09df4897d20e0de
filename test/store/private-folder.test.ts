import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ensurePrivateFolder } from '../../src/store/private-folder.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

test('a folder is made with those above it, each for its owner alone', async () => {
  await using folder = await makeTempFolder();

  ensurePrivateFolder(join(folder.path, 'a', 'b'));

  assert.deepEqual(
    ['a', 'a/b'].map((path) => statSync(join(folder.path, path)).mode & 0o777),
    [0o700, 0o700],
  );
});

test(
  'where no folder can be made it is an error, not an endless loop',
  { skip: !existsSync('/proc/self') && 'there is no /proc' },
  () => {
    assert.throws(() => ensurePrivateFolder('/proc/talaria/home'), { code: 'ENOENT' });
  },
);

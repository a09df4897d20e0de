import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { startChild } from '../support/store-child.ts';
import { openStore } from '../support/store-sqlite-opener.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

test('a store on a shared file system is refused with a line that names it', { skip: whyNoFuse() }, async () => {
  await using folder = await makeTempFolder();
  await using disk = startChild('store-shared-disk.ts', folder.path);
  assert.equal(await disk.line(), 'mounted');
  try {
    await assert.rejects(openStore(folder.path, systemClock), {
      code: 'unsafe-home',
      message: `${folder.path} is on FUSE (sshfs, a virtual machine or a cloud drive), where a database can lose data; set TALARIA_HOME to a local disk`,
    });
  } finally {
    execFileSync('umount', ['-l', folder.path]);
  }
});

function whyNoFuse(): string | false {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'mounting a file system of our own takes Linux and root';
  return existsSync('/dev/fuse') ? false : 'this system has no /dev/fuse';
}

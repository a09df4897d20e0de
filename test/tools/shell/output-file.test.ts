import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { OutputPipe } from '../../../src/tools/shell/output-file.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const pipeSize = 65_536;

test('what comes out of a pipe is in the file once nobody holds it', async () => {
  await using folder = await makeTempFolder();
  const { closed, exited } = write(folder.path, folder.path);
  assert.deepEqual([await closed, await exited], ['whole', [0, null]]);
  assert.equal((await readFile(join(folder.path, 'out'))).length, 3 * pipeSize);
});

test('an output that cannot be kept at all does not hold up the command that writes it', async () => {
  await using folder = await makeTempFolder();
  const { closed, exited } = write(folder.path, join(folder.path, 'missing'));
  assert.deepEqual([await closed, await exited], ['cut', [0, null]]);
});

/** Has a process write more into a pipe than that holds. */
function write(top: string, target: string): Written {
  const pipe = join(top, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const output = new OutputPipe(pipe);
  const input = openSync(pipe, 'w');
  const writer = spawn('head', ['-c', String(3 * pipeSize), '/dev/zero'], { stdio: ['ignore', input, 'ignore'] });
  closeSync(input);
  const exited = once(writer, 'exit');
  return { closed: output.copyInto(target), exited };
}

interface Written {
  readonly closed: Promise<'whole' | 'cut'>;
  readonly exited: Promise<readonly unknown[]>;
}

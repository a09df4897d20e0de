import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { describeError } from '../../src/base/errors.ts';
import { exitCodeOfError } from '../../src/cli/exit-codes.ts';
import { describePathProblem } from '../../src/cli/path-problem.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (thrown) {
    return thrown;
  }
  throw new Error('nothing was thrown');
}

test('what the system says about a path is one line that names it, and ends with exit code 1', async () => {
  await using folder = await makeTempFolder();
  const file = join(folder.path, 'file');
  writeFileSync(file, '');
  const cases: readonly (readonly [() => unknown, string, RegExp])[] = [
    [() => readFileSync(join(folder.path, 'none')), join(folder.path, 'none'), /no such file or folder/],
    [() => writeFileSync(folder.path, ''), folder.path, /it is a folder/],
    [() => mkdirSync(join(file, 'sub')), join(file, 'sub'), /not a folder/],
  ];

  for (const [act, path, reason] of cases) {
    const thrown = thrownBy(act);
    const told = describePathProblem(thrown) ?? '';
    assert.equal(exitCodeOfError(thrown), 1);
    assert.match(told, reason);
    assert.equal(told.startsWith(`cannot use ${path}: `), true, told);
  }
});

test('a path problem is found behind what went wrong while cleaning up', () => {
  const denied = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES', path: '/root/.talaria' });

  const told = describePathProblem(new SuppressedError(new Error('also'), denied, 'both'));

  assert.equal(told, 'cannot use /root/.talaria: permission denied');
});

test('errors that are not about a path of the user are none', () => {
  const spawned = Object.assign(new Error('spawn x ENOENT'), { code: 'ENOENT', path: 'x', syscall: 'spawn x' });
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', path: '/run/socket' });

  for (const thrown of [spawned, refused, new Error('a fault'), 'text', undefined])
    assert.equal(describePathProblem(thrown), undefined, describeError(thrown));
});

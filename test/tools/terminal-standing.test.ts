import assert from 'node:assert/strict';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Standing } from '../../src/model/tool.ts';
import { openFakePrograms } from '../support/fake-programs.ts';
import type { FakePrograms } from '../support/fake-programs.ts';
import { openToolBench } from './open-toolbox.ts';
import type { ToolBench } from './open-toolbox.ts';

async function standingOf(bench: ToolBench, input: { command: string; workdir?: string }): Promise<Standing> {
  const risk = await bench.assess('terminal', input);
  assert.ok(risk.type === 'ask' && risk.standing !== undefined);
  return risk.standing;
}

async function openBench(programs: FakePrograms): Promise<ToolBench> {
  return await openToolBench({ environment: { PATH: programs.path } });
}

test('a command in another folder is another act, and so is one by another program of the same name', async () => {
  await using programs = await openFakePrograms('git');
  await using others = await openFakePrograms('git');
  await using bench = await openBench(programs);
  await using elsewhere = await openToolBench({ environment: { PATH: others.path } });
  await mkdir(join(bench.workdir, 'sub'));

  const here = await standingOf(bench, { command: 'git push' });
  const again = await standingOf(bench, { command: 'git push origin main' });
  const below = await standingOf(bench, { command: 'git push', workdir: 'sub' });
  const other = await standingOf(elsewhere, { command: 'git push', workdir: bench.workdir });

  assert.equal(here.atMost, 'always');
  assert.equal(again.covers, here.covers);
  assert.notEqual(below.covers, here.covers);
  assert.notEqual(other.covers, here.covers);
});

test('with a variable of its own in the shell nothing is allowed for good, until it is gone', async () => {
  await using programs = await openFakePrograms('git');
  await using bench = await openBench(programs);
  const command = 'git push';
  const before = await standingOf(bench, { command });

  await bench.run('terminal', { command: 'export GIT_SSH_COMMAND=./evil' });
  const during = await standingOf(bench, { command });
  await bench.run('terminal', { command: 'export GIT_SSH_COMMAND=./worse' });
  const changed = await standingOf(bench, { command });
  await bench.run('terminal', { command: 'unset GIT_SSH_COMMAND; unset HOME' });
  const without = await standingOf(bench, { command });
  await bench.run('terminal', { command: `export HOME='${bench.userHome}'; X=1` });
  const after = await standingOf(bench, { command });

  assert.deepEqual(
    [before, during, changed, without, after].map(({ atMost }) => atMost),
    ['always', 'session', 'session', 'session', 'always'],
  );
  assert.equal(after.covers, before.covers);
  assert.notEqual(during.covers, changed.covers);
});

test('a shell that a start with other variables began is as good as a new one, until it has variables of its own', async () => {
  await using programs = await openFakePrograms('git');
  await using bench = await openToolBench({ environment: { PATH: programs.path, TERM: 'dumb' } });
  const command = 'git push';
  await bench.run('terminal', { command: 'true' });
  const before = await standingOf(bench, { command });

  bench.restart({ PATH: programs.path, TERM: 'xterm-256color', LANG: 'de_DE.UTF-8' });
  const resumed = await standingOf(bench, { command });
  await bench.run('terminal', { command: 'cd /; cd - > /dev/null' });
  const moved = await standingOf(bench, { command });
  await bench.run('terminal', { command: 'export GIT_SSH_COMMAND=./evil' });
  const own = await standingOf(bench, { command });
  await bench.run('terminal', { command: 'unset GIT_SSH_COMMAND; export TERM=other' });
  const other = await standingOf(bench, { command });

  assert.deepEqual(
    [before, resumed, moved, own, other].map(({ atMost }) => atMost),
    ['always', 'always', 'always', 'session', 'session'],
  );
  assert.equal(resumed.covers, before.covers);
});

test('a program that the model could have written, or that is another one by a link, is not allowed for good', async () => {
  await using programs = await openFakePrograms('git');
  await using bench = await openToolBench();
  const bin = join(bench.workdir, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'deploy'), '#!/bin/sh\n');
  await chmod(join(bin, 'deploy'), 0o755);
  await symlink('/bin/sh', join(programs.bin, 'innocent'));
  const path = `${bin}:${programs.path}`;
  await using shell = await openToolBench({ environment: { PATH: path } });

  const place = { ...bench.place };
  const own = await shell.assess('terminal', { command: 'deploy now' }, place);
  const linked = await shell.assess('terminal', { command: 'innocent x' }, place);
  const missing = await shell.assess('terminal', { command: 'no-such-program' }, place);

  const reach = [own, linked, missing].map((risk) => risk.type === 'ask' && risk.standing?.atMost);
  assert.deepEqual(reach, ['session', 'session', 'session']);
});

for (const command of [
  'git push; ls',
  'git push && ls',
  'git push | cat',
  'git push &',
  'git push > x',
  'git push < x',
  'git push 2>&1',
  'git push $(ls)',
  'git push `ls`',
  'git push $X',
  'git push *',
  'git push {a,b}',
  'X=1 git push',
  '(git push)',
  '{ git push; }',
  '! git push',
  'time git push',
  'git push <<< x',
  'git push\nls',
  'git $X',
  'g\\\nit push; ls',
]) {
  test(`through a shell operator, a substitution or a redirect nothing is allowed for good: ${JSON.stringify(command)}`, async () => {
    await using programs = await openFakePrograms('git');
    await using bench = await openBench(programs);

    assert.equal((await standingOf(bench, { command })).atMost, 'session');
  });
}

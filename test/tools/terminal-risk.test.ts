import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openToolBench } from './open-toolbox.ts';

test('plain reading runs unasked, disasters never, and everything else is asked with the whole command', async () => {
  await using bench = await openToolBench();
  const command = `npm test \u001B[2K\u202E# ${'long '.repeat(500)}`;
  const shown = command.replace('\u001B', '\\u{1b}').replace('\u202E', '\\u{202e}');

  assert.deepEqual(await bench.assess('terminal', { command: 'ls -la' }), { type: 'safe' });
  assert.equal((await bench.assess('terminal', { command: 'rm -rf ~' })).type, 'forbidden');
  assert.deepEqual(await bench.assess('terminal', { command }), {
    type: 'ask',
    question: `${shown}\nin ${bench.workdir}`,
  });
  assert.deepEqual(await bench.assess('terminal', { command: 'make', workdir: '/usr' }), {
    type: 'ask',
    question: 'make\nin /usr',
  });
});

test('the question ends with the folder where the shell stands, on one line whatever it is called', async () => {
  await using bench = await openToolBench();

  await bench.run('terminal', { command: "mkdir -p $'odd\\nin /' && cd odd*" });

  assert.deepEqual(await bench.assess('terminal', { command: 'make' }), {
    type: 'ask',
    question: `make\nin ${bench.workdir}/odd\\u{a}in `,
  });
});

test('a plain reading command that would show our secrets is forbidden, also through links and folders', async () => {
  await using bench = await openToolBench();
  await mkdir(join(bench.home, 'state'));
  await writeFile(join(bench.home, '.env'), 'KEY=1');
  await symlink(join(bench.home, '.env'), join(bench.workdir, 'innocent'));
  const commands = [
    `cat ${bench.home}/.env`,
    'cat innocent',
    'head ../talaria/.env',
    `ls ${bench.home}/state`,
    `wc --files0-from=../talaria/.env`,
  ];

  const risks = await Promise.all(commands.map(async (command) => (await bench.assess('terminal', { command })).type));

  assert.deepEqual(risks, ['forbidden', 'forbidden', 'forbidden', 'forbidden', 'forbidden']);
  assert.equal((await bench.assess('terminal', { command: 'cat .env', workdir: bench.home })).type, 'forbidden');
  assert.equal((await bench.assess('terminal', { command: `cat /proc/${process.pid}/environ` })).type, 'forbidden');
  assert.equal((await bench.assess('terminal', { command: 'cat /dev/zero' })).type, 'ask');
});

test('what a command touches cannot be known, and whether it ran cannot be told', async () => {
  await using bench = await openToolBench();

  assert.deepEqual(bench.footprint('terminal', { command: 'ls' }), { type: 'anything' });
  assert.equal(await bench.verify('terminal', { command: 'ls' }), 'unknown');
});

test('a reading command is asked about where the project could have put a program of that name', async () => {
  await using bench = await openToolBench();
  const riskOfWhich = async (): Promise<string> => (await bench.assess('terminal', { command: 'which node' })).type;
  const atFirst = await riskOfWhich();

  await bench.run('terminal', {
    command: 'mkdir bin && printf "#!/bin/sh\n" > bin/which && chmod +x bin/which && export PATH="$PWD/bin:$PATH"',
  });

  assert.deepEqual([atFirst, await riskOfWhich()], ['safe', 'ask']);
});

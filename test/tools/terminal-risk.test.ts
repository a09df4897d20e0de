import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openToolBench } from './open-toolbox.ts';

test('plain reading runs unasked, disasters never, and everything else is asked with the whole command', async () => {
  await using bench = await openToolBench();
  const command = `npm test \u001B[2K\u202E# ${'long '.repeat(500)}`;

  assert.deepEqual(await bench.assess('terminal', { command: 'ls -la' }), { type: 'safe' });
  assert.equal((await bench.assess('terminal', { command: 'rm -rf ~' })).type, 'forbidden');
  assert.deepEqual(await bench.assess('terminal', { command }), {
    type: 'ask',
    question: command.replace('\u001B', '\\u{1b}').replace('\u202E', '\\u{202e}'),
  });
  assert.deepEqual(await bench.assess('terminal', { command: 'make', workdir: '/usr' }), {
    type: 'ask',
    question: 'make\n[in /usr]',
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

test('git is asked about where its settings are ordinary files that the model could have written', async () => {
  await using bench = await openToolBench();
  const riskOfGit = async (): Promise<string> => (await bench.assess('terminal', { command: 'git status' })).type;
  const inRepository = await riskOfGit();

  await bench.run('terminal', {
    command: 'mkdir -p trap/objects trap/refs trap/deep && touch trap/HEAD && cd trap/deep',
  });

  assert.deepEqual([inRepository, await riskOfGit()], ['safe', 'ask']);
});

test('what a command touches cannot be known, and whether it ran cannot be told', async () => {
  await using bench = await openToolBench();

  assert.deepEqual(bench.footprint('terminal', { command: 'ls' }), { type: 'anything' });
  assert.equal(await bench.verify('terminal', { command: 'ls' }), 'unknown');
});

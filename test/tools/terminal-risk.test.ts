import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openToolBench } from './open-toolbox.ts';

test('plain reading runs unasked, disasters never, and everything else is asked with the whole command', async () => {
  await using bench = await openToolBench();
  const command = `npm test \u001B[2K\u202E# ${'long '.repeat(500)}`;
  const shown = command.replace('\u001B', '\\u{1b}').replace('\u202E', '\\u{202e}');

  assert.deepEqual(await bench.assess('terminal', { command: 'ls -la' }), {
    type: 'safe',
    where: { in: 'system', why: 'the sandbox is switched off (terminal.sandbox)' },
  });
  assert.equal((await bench.assess('terminal', { command: 'rm -rf ~' })).type, 'forbidden');
  assert.equal(await bench.question('terminal', { command }), `${shown}\nin ${bench.workdir}`);
  assert.equal(await bench.question('terminal', { command: 'make', workdir: '/usr' }), 'make\nin /usr');
});

test('a call that cannot be made is a mistake to mend, and no act that is never done', async () => {
  await using bench = await openToolBench();

  assert.deepEqual(await bench.assess('terminal', { command: 'top', pty: true }), {
    type: 'forbidden',
    reason: 'a pty is for background processes; set background, too',
    is: 'mistake',
  });
});

test('the question ends with the folder where the shell stands, on one line whatever it is called', async () => {
  await using bench = await openToolBench();

  await bench.run('terminal', { command: "mkdir -p $'odd\\nin /' && cd odd*" });

  assert.equal(await bench.question('terminal', { command: 'make' }), `make\nin ${bench.workdir}/odd\\u{a}in `);
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
    'ls | cat innocent',
  ];

  const risks = await Promise.all(commands.map(async (command) => (await bench.assess('terminal', { command })).type));

  assert.deepEqual(risks, ['forbidden', 'forbidden', 'forbidden', 'forbidden', 'forbidden', 'forbidden']);
  assert.equal((await bench.assess('terminal', { command: 'cat .env', workdir: bench.home })).type, 'forbidden');
  assert.equal((await bench.assess('terminal', { command: `cat /proc/${process.pid}/environ` })).type, 'forbidden');
  assert.equal((await bench.assess('terminal', { command: 'cat /dev/zero' })).type, 'ask');
  // What is named in a file or a pipe cannot be judged.
  assert.equal((await bench.assess('terminal', { command: 'wc --files0-from=names' })).type, 'ask');
});

test('looking for files and in them runs unasked; the same programs are asked about where they could do more', async () => {
  await using bench = await openToolBench();
  const risks = async (commands: readonly string[]): Promise<readonly string[]> =>
    await Promise.all(commands.map(async (command) => (await bench.assess('terminal', { command })).type));

  const looking = ["find . -name '*.txt' -not -empty", 'find', 'grep -n hi notes.txt', 'diff -u a b'];
  const more = [
    'find . -delete',
    'find . -name -name -delete',
    'find . -exec rm {} +',
    'find -fprint out',
    'grep -r hi .',
    'grep -fsecret notes.txt',
    'sort -o out in',
    'diff --to-file=x y',
    'uniq in out',
  ];

  assert.deepEqual(new Set(await risks(looking)), new Set(['safe']));
  assert.deepEqual(new Set(await risks(more)), new Set(['ask']));
});

test('a diff of folders is asked about, since it shows what is in files that it does not name', async () => {
  await using bench = await openToolBench();
  await mkdir(join(bench.workdir, 'made'));
  await mkdir(join(bench.userHome, '.ssh'));
  await symlink(join(bench.userHome, '.ssh'), join(bench.workdir, 'link'));
  const commands = [
    'diff made ~/.ssh',
    'diff made ~',
    'diff made link',
    'diff notes.txt made',
    'ls | diff -u made ~/.ssh',
  ];

  const risks = await Promise.all(commands.map(async (command) => (await bench.assess('terminal', { command })).type));

  assert.deepEqual(risks, ['ask', 'ask', 'ask', 'ask', 'ask']);
});

test('what may log its owner in is read only when the owner agrees, by whatever tool', async () => {
  await using bench = await openToolBench();
  const files = [
    '.ssh/id_ed25519',
    '.aws/credentials',
    '.netrc',
    '.env',
    '.env.local',
    'server.key',
    '.config/gh/hosts.yml',
  ];
  const open = ['.ssh/id_ed25519.pub', '.ssh/known_hosts', '.env.example', 'environment.md', 'monkey.txt'];
  const typesOf = async (paths: readonly string[]): Promise<ReadonlySet<string>> => {
    const risks = paths.flatMap((path) => [
      bench.assess('terminal', { command: `cat ${path}` }),
      bench.assess('read_file', { path }),
    ]);
    return new Set((await Promise.all(risks)).map(({ type }) => type));
  };

  assert.deepEqual(await typesOf(files), new Set(['ask']));
  assert.deepEqual(await typesOf(open), new Set(['safe']));
  assert.equal(await bench.question('terminal', { command: 'cat .netrc' }), `cat .netrc\nin ${bench.workdir}`);
});

test('a search of a folder leaves out what may log its owner in', async () => {
  await using bench = await openToolBench();
  await writeFile(join(bench.workdir, 'server.key'), 'TOKEN=needle\n');
  await writeFile(join(bench.workdir, 'notes.txt'), 'a needle\n');

  const found = JSON.stringify(await bench.run('search_files', { pattern: 'needle' }));

  assert.match(found, /notes\.txt/);
  assert.doesNotMatch(found, /TOKEN/);
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

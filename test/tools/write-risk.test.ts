import assert from 'node:assert/strict';
import { mkdir, realpath, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openToolBench } from './open-toolbox.ts';
import type { ToolBench } from './open-toolbox.ts';

async function risksOf(bench: ToolBench, paths: readonly string[]): Promise<readonly string[]> {
  return await Promise.all(
    paths.map(async (path) => {
      const write = await bench.assess('write_file', { path, content: 'x' });
      const patch = await bench.assess('patch', { path, old_string: 'a', new_string: 'b' });
      return write.type === patch.type ? write.type : `${write.type}/${patch.type}`;
    }),
  );
}

function all(risk: string, paths: readonly string[]): readonly string[] {
  return paths.map(() => risk);
}

test('writing in the working folder or in the temporary folder needs no question', async () => {
  await using bench = await openToolBench();
  const paths = [
    'a.txt',
    'new/folder/a.txt',
    join(bench.workdir, 'x'),
    '/tmp/x',
    '.gitignore',
    '.github/x.yml',
    'sub/.env',
  ];

  assert.deepEqual(await risksOf(bench, paths), all('safe', paths));
});

test('writing anywhere else is asked about', async () => {
  await using bench = await openToolBench();
  const paths = ['/etc/x', '/x', '/usr/local/bin/x', '/tmp/../etc/x'];

  assert.deepEqual(await risksOf(bench, paths), all('ask', paths));
});

test('files that run code or log in are asked about even in the working folder', async () => {
  await using bench = await openToolBench();
  const inside = [
    '.git/hooks/pre-commit',
    '.git/config',
    'sub/.git/config',
    '.ssh/authorized_keys',
    '.bashrc',
    '.envrc',
    '.npmrc',
  ];
  const paths = [...inside, '~/.bashrc', '~/.config/autostart/x.desktop', '~/.ssh/config', '~/.new'];

  assert.deepEqual(await risksOf(bench, paths), all('ask', paths));
});

test("Talaria's own home cannot be written, by any way", async () => {
  await using bench = await openToolBench();
  await symlink(bench.home, join(bench.workdir, 'home'));
  await symlink(join(bench.home, 'config.yaml'), join(bench.workdir, 'dangling'));
  await bench.run('terminal', { command: 'mkdir deep && cd deep' });
  const paths = ['config.yaml', '.env', 'state/db', 'tasks/x/env', 'new'].map((name) => join(bench.home, name));
  const ways = [...paths, '../home/config.yaml', '../dangling', '../../talaria/config.yaml', '~/../talaria/.env'];

  assert.deepEqual(await risksOf(bench, ways), all('forbidden', ways));
});

test('SEC-04 a link does not carry a write out of the working folder unasked', async () => {
  await using bench = await openToolBench();
  await symlink('/etc', join(bench.workdir, 'folder'));
  await symlink('/etc/not-there-yet', join(bench.workdir, 'dangling'));
  await symlink('dangling', join(bench.workdir, 'twice'));
  await symlink('loop', join(bench.workdir, 'loop'));
  await mkdir(join(bench.workdir, 'real'));
  await symlink('real', join(bench.workdir, 'inside'));
  const deep = `folder/${'a/'.repeat(60)}x`;
  const out = ['folder/x', 'folder/new/x', 'dangling', 'twice', deep];

  assert.deepEqual(await risksOf(bench, out), all('ask', out));
  assert.deepEqual(await risksOf(bench, ['inside/x']), ['safe']);
  assert.equal((await bench.outcome('write_file', { path: 'loop', content: 'x' })).type, 'failed');
});

test('the question names the whole path and shows what would be written, and cannot be disguised', async () => {
  await using bench = await openToolBench();
  const etc = await realpath('/etc');

  const write = await bench.assess('write_file', { path: '/etc/mo\u202Etd', content: 'one\ntwo\r\n' });
  const patch = await bench.assess('patch', { path: '/etc/motd', old_string: 'a', new_string: 'b', replace_all: true });

  assert.deepEqual(write, { type: 'ask', question: `write 9 bytes to ${etc}/mo\\u{202e}td:\none\ntwo\\u{d}\n` });
  assert.deepEqual(patch, { type: 'ask', question: `replace everywhere in ${etc}/motd:\na\nby:\nb` });
});

import assert from 'node:assert/strict';
import { mkdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { makeTempFolder } from '../support/temp-folder.ts';
import { openToolBench } from './open-toolbox.ts';
import type { ToolBench } from './open-toolbox.ts';

async function risksOf(bench: ToolBench, paths: readonly string[], place = bench.place): Promise<readonly string[]> {
  return await Promise.all(
    paths.map(async (path) => {
      const write = await bench.assess('write_file', { path, content: 'x' }, place);
      const patch = await bench.assess('patch', { path, old_string: 'a', new_string: 'b' }, place);
      return write.type === patch.type ? write.type : `${write.type}/${patch.type}`;
    }),
  );
}

function all(risk: string, paths: readonly string[]): readonly string[] {
  return paths.map(() => risk);
}

test('writing in the working folder needs no question', async () => {
  await using bench = await openToolBench();
  const paths = ['a.txt', 'new/folder/a.txt', join(bench.workdir, 'x'), '.gitignore', '.github/x.yml', 'sub/.env'];

  assert.deepEqual(await risksOf(bench, paths), all('safe', paths));
});

test('writing anywhere else is asked about, the temporary folder included', async () => {
  await using folder = await makeTempFolder();
  await using bench = await openToolBench({ environment: { TMPDIR: folder.path } });
  const paths = ['/etc/x', '/x', '/usr/local/bin/x', '/tmp/x', '/tmp/../etc/x', join(folder.path, 'x'), '../x'];

  assert.deepEqual(await risksOf(bench, paths), all('ask', paths));
});

test('where it was started in a folder of the system, in a home or above one, every write is asked about', async () => {
  await using bench = await openToolBench();
  await mkdir(join(bench.userHome, 'project'));
  await symlink('/', join(bench.workdir, 'root'));
  const risksIn = (workdir: string): Promise<readonly string[]> =>
    risksOf(bench, [join(workdir, 'a/x')], { ...bench.place, workdir });

  for (const workdir of ['/', '/etc', '/usr/local', '/var', '/home', bench.userHome, dirname(bench.userHome)]) {
    assert.deepEqual([workdir, ...(await risksIn(workdir))], [workdir, 'ask']);
  }
  assert.deepEqual(await risksIn(join(bench.workdir, 'root')), ['ask']);
  assert.deepEqual(await risksIn(join(bench.userHome, 'project')), ['safe']);
});

test('files that run code, log in or instruct the model are asked about even in the working folder', async () => {
  await using bench = await openToolBench();
  const inside = [
    '.git/hooks/pre-commit',
    '.git/config',
    'sub/.git/config',
    '.ssh/authorized_keys',
    '.bashrc',
    'AGENTS.md',
    'sub/CLAUDE.md',
    '.cursor/rules/a.mdc',
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

test('a path cannot add lines of its own to the question', async () => {
  await using bench = await openToolBench();
  const path = `${await realpath('/etc')}/motd:\nnothing`;

  const risk = await bench.assess('write_file', { path, content: 'x' });

  const question = `write 1 bytes to ${path.replace('\n', String.raw`\u{a}`)}:\nx`;
  assert.deepEqual(risk, { type: 'ask', question });
});

test('the question shows all that would be written, and what is too long to show is refused', async () => {
  await using bench = await openToolBench();
  const shown = `${'line\n'.repeat(600)}the end`;
  const long = 'x'.repeat(4000);
  const edit = { path: '/etc/motd', old_string: shown, new_string: 'short' };

  const write = await bench.assess('write_file', { path: '/etc/motd', content: shown });
  const patch = await bench.assess('patch', edit);
  const refused = [
    await bench.assess('write_file', { path: '/etc/motd', content: long }),
    await bench.assess('write_file', { path: '.bashrc', content: '\u202E'.repeat(600) }),
    await bench.assess('patch', { ...edit, new_string: shown }),
  ];

  assert.ok(write.type === 'ask' && write.question.endsWith(`:\n${shown}`));
  assert.ok(patch.type === 'ask' && patch.question.endsWith(`:\n${shown}\nby:\nshort`));
  for (const risk of refused) {
    assert.ok(risk.type === 'forbidden');
    assert.match(risk.reason, /too much to ask the user about \(\d+ characters, .* in the working folder instead/);
  }
  assert.equal((await bench.assess('write_file', { path: 'plain', content: long })).type, 'safe');
});

const writes = [
  { name: 'write_file', input: { content: 'new' } },
  { name: 'patch', input: { old_string: 'old', new_string: 'new' } },
] as const;

for (const { name, input } of writes) {
  test(`${name}: what a person agreed to is written there and nowhere else`, async () => {
    await using outside = await makeTempFolder();
    await using bench = await openToolBench();
    const [shown, swapped] = [join(outside.path, 'shown'), join(outside.path, 'swapped')];
    for (const folder of [shown, swapped, bench.home, bench.workdir]) {
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'config.yaml'), 'old');
    }
    const link = join(bench.workdir, 'link');
    const pointTo = async (folder: string): Promise<void> => {
      await rm(link, { force: true });
      await symlink(folder, link);
    };
    const runAfter = async (first: string, then: string): Promise<string> => {
      await pointTo(first);
      const call = await bench.prepare(name, { path: 'link/config.yaml', ...input });
      await pointTo(then);
      return `${call.risk.type}, ${(await call.run()).type}`;
    };

    const swaps = [
      await runAfter(shown, bench.home),
      await runAfter(shown, swapped),
      await runAfter(bench.workdir, swapped),
    ];
    const untouched = await Promise.all(
      [shown, swapped, bench.home].map((folder) => readFile(join(folder, 'config.yaml'), 'utf8')),
    );
    const kept = await runAfter(shown, shown);

    assert.deepEqual(swaps, ['ask, refused', 'ask, refused', 'safe, refused']);
    assert.deepEqual(untouched, ['old', 'old', 'old']);
    assert.equal(kept, 'ask, done');
    assert.equal(await readFile(join(shown, 'config.yaml'), 'utf8'), 'new');
  });
}

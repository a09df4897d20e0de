import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { findDifference } from '../../../src/tools/sandbox/find-difference.ts';
import { findContentsRead } from '../../../src/tools/sandbox/contents-read.ts';
import { findGuardedFiles } from '../../../src/tools/sandbox/guarded-files.ts';
import { noteSandbox } from '../../../src/tools/sandbox/sandbox-note.ts';
import { findToolFolders } from '../../../src/tools/sandbox/tool-folders.ts';
import { findStateDifference, writeExports } from '../../../src/tools/shell/state-difference.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

const ends: readonly (readonly [code: number, output: string, isNoted: boolean])[] = [
  [0, 'all is well', false],
  [0, 'curl: (6) Could not resolve host: example.com', true],
  [1, '', false],
  [1, 'FAIL test/one.test.ts: expected 1, got 2', false],
  [1, 'npm error code EAI_AGAIN\nnpm error errno EAI_AGAIN', true],
  [1, 'cat: /home/me/notes.txt: No such file or directory', true],
  [1, "fatal: Unable to create '/code/.git/index.lock': Read-only file system", true],
  [2, 'main.c:3: error: expected expression', false],
  [6, '', true],
  [127, 'bash: cargo: command not found', true],
  [128, 'ssh: connect to host github.com port 22: Network is unreachable', true],
];
for (const [code, output, isNoted] of ends) {
  test(`after exit code ${code} with "${output.slice(0, 40)}" the sandbox is ${isNoted ? '' : 'not '}mentioned`, () => {
    const result = { ending: { type: 'exited', code }, output, isCut: false, lostState: undefined } as const;

    assert.equal(noteSandbox(result, { limits: 'no network', difference: undefined }) !== undefined, isNoted);
  });
}

const named: readonly (readonly [command: string, difference: string | undefined])[] = [
  ['ls -A /root 2>/dev/null | wc -l', '/root is not the one outside'],
  ['cp notes ~/notes', '~/notes is not the one outside'],
  ['du -sh "$HOME" | cut -f 1', '$HOME is not the one outside'],
  ['echo x > /tmp/y', '/tmp/y is not the one outside'],
  ['tool --out=/var/x', '/var/x is not the one outside'],
  ['cd src && ps aux | grep node', 'ps tells only of the sandbox'],
  ['find / -name x 2>/dev/null', '/ is not the one outside'],
  ['echo $((6 / 2)); echo GET / HTTP', undefined],
  ['(df -h)', 'df tells only of the sandbox'],
  ['make > /dev/null; /usr/bin/env', undefined],
  ['cat /home/me/code/a ~/code/b', undefined],
  ["sed '/no-such-folder/d' a; curl https://x.org/var", undefined],
  ['grep ps a; ./ip; ps-like; ls ~bob', undefined],
  ['cat > a.sh <<EOF\nls /var\nps\nEOF', undefined],
];
const isSame = (path: string): boolean => /^\/(?:usr|home\/me\/code)\//.test(path);
for (const [command, difference] of named) {
  test(`of ${JSON.stringify(command)} the sandbox says: ${difference ?? 'nothing'}`, () => {
    assert.equal(findDifference(command, { userHome: '/home/me', isSame }), difference);
  });
}

const reads: readonly (readonly [line: string, contents: string])[] = [
  ['cat notes', 'notes'],
  ['cat -n notes /etc/hosts', 'notes /etc/hosts'],
  ['tail -n 20 /var/log/syslog', '/var/log/syslog'],
  ['tail -f notes', 'notes'],
  ['head -c 1K notes', 'notes'],
  ['cut -d : -f 1 notes', 'notes'],
  ['grep -A 3 word notes', 'notes'],
  ['grep word', ''],
  ['grep 5 notes', 'notes'],
  ['grep -ee notes', 'notes'],
  ['grep -ie word notes', 'notes'],
  ['grep -n -e word -e other notes', 'notes'],
  ['grep -A3e word notes', 'notes'],
  ['grep -- -e notes', 'notes'],
  ['grep -e -A notes', 'notes'],
  ['grep -e -- notes', 'notes'],
  ['cat 5 10k', '5 10k'],
  ['cat -- -x notes', '-x notes'],
  ['head -- -n notes', '-n notes'],
  ['head -qn 5 notes', 'notes'],
  ['head -n5 notes', 'notes'],
  ['cat - notes', 'notes'],
  ['ls -la notes', ''],
  ['echo notes', ''],
];
for (const [line, contents] of reads) {
  test(`${line} shows the contents of ${contents === '' ? 'no file' : contents}`, () => {
    const [program = '', ...words] = line.split(' ');

    assert.equal(findContentsRead(program, words).join(' '), contents);
  });
}

test('programs in a home are found with what was installed with them, and nothing else of the home', async () => {
  await using home = await makeTempFolder();
  const folders = [
    '.nvm/versions/v22/bin',
    '.cargo/bin',
    '.rustup',
    '.local/bin',
    '.local/share/keyrings',
    'bin',
    '.ssh',
  ];
  for (const folder of folders) await mkdir(join(home.path, folder), { recursive: true });
  const onPath = ['.nvm/versions/v22/bin', '.cargo/bin', '.local/bin', 'bin', 'missing/bin', ''];

  const found = findToolFolders(onPath.map((folder) => join(home.path, folder)).join(':'), home.path);

  const expected = ['.nvm/versions/v22', '.cargo/bin', '.local/bin', 'bin', '.rustup'];
  assert.deepEqual(
    found,
    expected.map((folder) => join(home.path, folder)),
  );
});

test('what is guarded in a folder is found three levels deep, and not among installed packages', async () => {
  await using folder = await makeTempFolder();
  const files = ['.env', 'a/b/.npmrc', 'a/b/c/.env', 'node_modules/x/.env', 'AGENTS.md', 'a/CLAUDE.md', '.env.example'];
  for (const name of files) {
    await mkdir(join(folder.path, name, '..'), { recursive: true });
    await writeFile(join(folder.path, name), '');
  }
  await mkdir(join(folder.path, 'a', '.git'));
  await mkdir(join(folder.path, '.ssh'));
  const names = (paths: readonly string[]): readonly string[] =>
    paths.map((path) => path.slice(folder.path.length + 1)).toSorted((left, right) => left.localeCompare(right, 'en'));

  const { readOnly, hiddenFiles, hiddenFolders } = findGuardedFiles(folder.path);

  assert.deepEqual(names(readOnly), ['a/.git', 'a/CLAUDE.md', 'AGENTS.md']);
  assert.deepEqual(names(hiddenFiles), ['.env', 'a/b/.npmrc']);
  assert.deepEqual(names(hiddenFolders), ['.ssh']);
});

test('of two states only what differs is kept, in bytes that bash reads', () => {
  const given = writeExports({ PATH: '/bin', QUOTED: 'a "b" $c', GONE: '1' });
  const left = `unset -v PATH\ndeclare -x PATH="/bin"\ndeclare -x NEW="two\nlines"\ndeclare -x QUOTED="a \\"b\\" \\$c"\ndeclare -x PWD="/"\n`;

  const { text, names } = findStateDifference(given, left);

  assert.equal(text, 'unset -v GONE\ndeclare -x NEW="two\nlines"\n');
  assert.deepEqual(names, ['NEW']);
});

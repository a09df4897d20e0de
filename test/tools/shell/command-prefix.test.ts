import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPrefix } from '../../../src/tools/shell/command-prefix.ts';

function prefixOf(command: string): string | undefined {
  const prefix = findPrefix(command.split(' '));
  return prefix && `${prefix.words.join(' ')}${prefix.rest === 'any' ? ' …' : ''}`;
}

const covered: Readonly<Record<string, readonly string[]>> = {
  'git push …': ['git push', 'git push origin main', 'git push -u origin feature/x', 'git push --tags'],
  'git pull …': ['git pull', 'git pull --rebase origin main'],
  'git commit …': ['git commit -m x', 'git commit --amend --no-edit', 'git commit -am Fix --trailer x'],
  'git add …': ['git add -A', 'git add src/a.ts'],
  'git diff …': ['git diff', 'git diff main..feature -- src/a.ts', 'git diff HEAD~1 --stat'],
  'npm run build …': ['npm run build', 'npm run build -- --watch', 'npm run build fast'],
  'cargo test …': ['cargo test', 'cargo test --release name'],
  'go test …': ['go test ./...', 'go test -run X ./a'],
};

test('commands of a known kind are covered by their first words, whatever harmless follows', () => {
  for (const [prefix, commands] of Object.entries(covered))
    assert.deepEqual(
      commands.map((command) => [command, prefixOf(command)]),
      commands.map((command) => [command, prefix]),
    );
});

const alone: readonly string[] = [
  'git push --force',
  'git push -f',
  'git push -qf',
  'git push -qvf origin',
  'git push evil',
  'git push sub/evil main',
  'git push --repo=evil',
  'git push --repo=../evil',
  'git fetch evil',
  'git pull -qs evil',
  'git push --forc',
  'git push --force-with-lease',
  'git push --delete origin x',
  'git push --mirror',
  'git push origin +main',
  'git push origin :main',
  'git push https://example.com/x main',
  'git push git@example.com:x main',
  'git push ../elsewhere main',
  'git push -o origin ./evil',
  'git push --push-option origin ./evil main',
  'git fetch --refmap origin ./evil',
  'git pull --server-option upstream ./evil',
  'git push --receive-pack=./evil',
  'git push --rec ./evil',
  'git push --exec=./evil',
  'git fetch --upload-pack=./evil origin',
  'git fetch --upl=./evil origin',
  'git pull --strategy=evil',
  'git pull -s evil',
  'git diff /dev/null /home/ann/.ssh/id_ed25519',
  'git diff README ~/.ssh/id_ed25519',
  'git diff README ../other/.env',
  'git diff README src/../../.env',
  'git commit -F /home/ann/.ssh/id_ed25519',
  'git commit -aF/home/ann/.ssh/id_ed25519',
  'git commit --file=../.env',
  'git commit --template ../.env',
  'git add --pathspec-from-file=../.env',
  'git diff --output=x',
  'git diff --ext-diff',
  'git log --out=x',
  'git -c core.sshCommand=./evil push',
  'git --exec-path=. push',
  'git rebase --exec ./evil',
  'npm run build --script-shell=./evil',
  'npm run',
  'npm test --prefix /elsewhere',
  'npm install left-pad',
  'cargo build --config x',
  'cargo --config x build',
  'go test -exec ./evil ./...',
  'go build -toolexec=./evil',
  'go build -ldflags=-extld=./evil',
  'make test',
  'systemctl restart nginx',
  'docker run alpine',
];

test('what could make a command do something else is covered by nothing but the same command', () => {
  assert.deepEqual(
    alone.map((command) => prefixOf(command)),
    alone,
  );
});

const never: readonly string[] = [
  'bash x.sh, sh -c x, eval x, source x, sudo ls, env ls, xargs ls, find . -delete, timeout 5 x',
  'python3 x.py, python3.12 x.py, node x.js, perl x, ruby x, awk x, sed -i x y, vim x, npx x',
  'rm x, rm -rf build, dd if=a of=b, chmod +x y, kill 123, pkill x, mv a b, cp a b, tee x',
  'curl https://example.com, wget x, ssh host ls, scp a b, rsync a b, tar xf a, nc -l 1, mkfs.ext4 x',
  './build, /usr/bin/git push, ../x, -x',
].flatMap((line) => line.split(', '));

test('interpreters, wrappers, and what sends or destroys are never allowed for good', () => {
  assert.deepEqual(
    never.filter((command) => prefixOf(command) !== undefined),
    [],
  );
});

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { assessCommand } from '../../../src/tools/shell/assess-command.ts';

const surroundings = { home: '/home/ann', folder: '/home/ann/project' };

function assess(command: string, folder = surroundings.folder): string {
  return assessCommand(command, { ...surroundings, folder }).type;
}

const disasters: readonly string[] = [
  'rm -rf /',
  'rm -rf /*',
  'rm -fr -- /',
  'rm --recursive --force --no-preserve-root /',
  'rm -rf //',
  'rm -rf /.',
  'rm -rf /home/..',
  'rm -rf /etc/',
  'rm -rf /usr/*',
  'rm -rf /boot /tmp/x',
  'rm -rf ~',
  'rm -rf ~/',
  'rm -rf ~/*',
  'rm -rf ~/.*',
  'rm -rf $HOME',
  'rm -rf "$HOME"',
  'rm -rf ${HOME}/*',
  'rm -rf /home/ann',
  'rm -rf /home',
  'rm -rf ..',
  'rm -rf /e?c',
  'rm -rf /{bin,etc}',
  'r\\m -rf /',
  "r''m -rf /",
  '"rm" -rf "/"',
  '\\rm -rf /',
  '/bin/rm -rf /',
  'rm \\\n -rf /',
  'ls; rm -rf /',
  'ls && rm -rf /',
  'false || rm -rf /',
  'ls\nrm -rf /',
  'true & rm -rf /',
  'yes | rm -rf /',
  '(rm -rf /)',
  '{ rm -rf /; }',
  'echo $(rm -rf /)',
  'echo "$(rm -rf /)"',
  'echo `rm -rf /`',
  'echo ${x:-$(rm -rf /)}',
  'cat <(rm -rf /)',
  'cat <<EOF\n$(rm -rf /)\nEOF',
  'if true; then rm -rf /; fi',
  'while true; do rm -rf /; done',
  'for x in 1; do rm -rf /; done',
  'f() { rm -rf /; }; f',
  'function f { rm -rf /; }',
  'case a in a) rm -rf / ;; esac',
  '! rm -rf /',
  'FOO=1 rm -rf /',
  'sudo rm -rf /',
  'sudo -u root -- rm -rf /',
  'sudo -n env -i PATH=/bin nohup rm -rf /',
  'env -S "rm -rf /"',
  'timeout -k 5 10 rm -rf /',
  'nice -n 5 ionice -c 3 rm -rf /',
  'time -p rm -rf /',
  'exec rm -rf /',
  'command rm -rf /',
  'busybox rm -rf /',
  'echo x | xargs -n 1 rm -rf /',
  'find . -exec rm -rf / \\;',
  'bash -c "rm -rf /"',
  "bash -c 'rm -rf /*'",
  'sh -ec "ls; rm -rf /"',
  'sudo bash -lc "rm -rf ~"',
  `bash -c "bash -c 'rm -rf /'"`,
  "su root -c 'rm -rf /'",
  'eval rm -rf /',
  'eval "rm -rf /*"',
  "trap 'rm -rf /' EXIT",
  'bash <<EOF\nrm -rf /\nEOF',
  "bash <<'EOF'\nrm -rf /\nEOF",
  'bash <<< "rm -rf /"',
  'echo "rm -rf /" | sh',
  'cd / && rm -rf *',
  'cd / && rm -rf .',
  'cd ~; rm -rf ./*',
  'cd .. && rm -rf *',
  'X=/; rm -rf $X',
  "X='/*'; rm -rf $X",
  'X=~; rm -rf "$X"',
  '$NOTHING rm -rf /',
  'mkfs /dev/sdb',
  'sudo mkfs.ext4 /dev/sdb1',
  '/sbin/mkfs.xfs -f x.img',
  'dd if=/dev/zero of=/dev/sda bs=1M',
  'dd of="/dev/nvme0n1"',
  'cat x > /dev/sda',
  'echo x >> /dev/mmcblk0',
  'echo x >|/dev/vda1',
  '> /dev/xvda',
  'echo x &> /dev/hda',
  'cat x | sudo tee /dev/sdb',
  'cp image.iso /dev/sdb',
  ':(){ :|:& };:',
  ':() { : | : & }; :',
  'bomb() { bomb|bomb& }; bomb',
  'function bomb { bomb | bomb & }; bomb',
  'kill -9 -1',
  'kill -1',
  'kill -- -1',
  'kill -KILL -1',
  'kill -s KILL -1',
  'shutdown -h now',
  'sudo /sbin/reboot',
  'ls; halt',
  'poweroff',
  'init 0',
  'sudo telinit 6',
  'systemctl reboot',
  'systemctl --force poweroff',
];

test('APPR-01 a disaster never runs, however it is quoted, wrapped or nested', () => {
  const missed = disasters.filter((command) => assess(command) !== 'forbidden');

  assert.deepEqual(missed, []);
});

test('a disaster that depends on the folder is seen from where the shell stands', () => {
  assert.equal(assess('rm -rf *', '/'), 'forbidden');
  assert.equal(assess('rm -rf .', '/home/ann'), 'forbidden');
  assert.equal(assess('rm -rf ./*', '/etc'), 'forbidden');
  assert.equal(assess('rm -rf *', '/home/ann/project'), 'ask');
});

const askedAbout: readonly string[] = [
  'echo reboot && echo "rm -rf /" > note.txt',
  'git commit -m "shutdown; rm -rf /"',
  'grep -r reboot .',
  'man shutdown',
  'sudo echo reboot',
  "echo ':(){ :|:& };:' > bomb.txt",
  'cat > notes.md <<EOF\nnever run rm -rf / or reboot\nEOF',
  'python3 -c "print(1)"',
  'rm -rf build',
  'rm -rf /tmp/x',
  'rm -rf /home/ann/project/dist',
  'rm -rf "/*"',
  "rm -rf '~'",
  'rm -rf $UNKNOWN/x',
  '(cd / && ls); rm -rf *',
  'kill -1 1234',
  'kill 1234',
  'systemctl status nginx',
  'init',
  'dd if=a of=b',
  'echo x > /dev/null',
  'find . -name "*.pyc" -delete',
  'npm test',
  'ls | wc',
  'ls > x',
  'ls; pwd',
  'ls && pwd',
  'ls &',
  'ls $HOME',
  'ls `pwd`',
  'ls "$(pwd)"',
  'ls *',
  'cat .e?v',
  'cat {a,b}',
  'cat ~bob/x',
  'cat "~/x"',
  'cat link/../x',
  'cat <x',
  'cat <<< x',
  'cat <<EOF\nx\nEOF',
  "cat $'\\x2fetc\\x2fpasswd'",
  'PATH=/evil ls',
  'sudo ls',
  './ls',
  '/tmp/ls',
  'ls\nreboot_my_server',
  'echo "unterminated',
  '',
  'date -s tomorrow',
  'date 010112002025',
  'hostname evil',
  'file -C -m x',
  'git push',
  'git branch new',
  'git branch -D main',
  'git diff --output=x',
  'git diff --ext-diff',
  'git -c core.pager=evil log',
  'git log --output x',
  'git -C /x status',
  'git show --textconv',
  'git status --foo',
  'git config -l',
];

test('what is not plainly harmless is asked about', () => {
  const wrong = askedAbout.map((command) => [command, assess(command)]).filter(([, risk]) => risk !== 'ask');

  assert.deepEqual(wrong, []);
});

const plain: readonly (readonly [string, readonly string[]])[] = [
  ['ls', []],
  ['ls -la src', ['-la', 'src']],
  ['  pwd\n', []],
  ['date', []],
  ['date "+%F %T"', ['+%F %T']],
  ['uname -a', ['-a']],
  ['whoami', []],
  ['id -u', ['-u']],
  ['hostname', []],
  ['uptime', []],
  ['df -h', ['-h']],
  ['du -sh .', ['-sh', '.']],
  ['wc -l a.txt', ['-l', 'a.txt']],
  ['head -n 5 "a b.txt"', ['-n', '5', 'a b.txt']],
  ['tail a.txt', ['a.txt']],
  ['cat ~/notes.txt', ['~/notes.txt']],
  ["echo 'hello; world'", ['hello; world']],
  ['which node', ['node']],
  ['file a.png', ['a.png']],
  ['stat a.png', ['a.png']],
  ['wc --files0-from=list', ['--files0-from=list', 'list']],
  ['git status --short', ['status', '--short']],
  ['git log --oneline -n 5', ['log', '--oneline', '-n', '5']],
  ['git --no-pager diff --stat HEAD~1 -- src', ['--no-pager', 'diff', '--stat', 'HEAD~1', '--', 'src']],
  ['git show HEAD', ['show', 'HEAD']],
  ['git branch -a', ['branch', '-a']],
  ['ls src # all of it', ['src']],
];

test('a plain reading command is safe, and names what it may read', () => {
  const risks = plain.map(([command]) => [command, assessCommand(command, surroundings)]);

  assert.deepEqual(
    risks,
    plain.map(([command, paths]) => {
      return [command, { type: 'safe', program: command.trim().split(/\s/)[0], paths }];
    }),
  );
});

const shellPieces = [
  ' ',
  '\n',
  ';',
  '&',
  '|',
  '(',
  ')',
  '<',
  '>',
  '<<',
  '$',
  '${',
  '}',
  '$(',
  '`',
  "'",
  '"',
  '\\',
  '#',
  '*',
  '~',
];

test('whatever is called safe is, to bash too, one call of the program with just these words', () => {
  const pieces = fc.array(fc.constantFrom(...shellPieces, 'ls', '/', 'x', '-c', 'EOF', "''"), { maxLength: 8 });
  const commands = fc.sample(pieces, { numRuns: 20_000, seed: 7 }).map((each) => `ls ${each.join('')}`);
  const safe = commands.flatMap((command) => {
    const risk = assessCommand(command, surroundings);
    return risk.type === 'safe' ? [{ command, words: risk.paths }] : [];
  });

  const script = [
    'ls() { printf "%s\\0" "$@"; printf "\\1"; }',
    ...safe.map(({ command }) => `eval ${quote(command)}`),
  ];
  const environment = { PATH: '/nowhere', HOME: surroundings.home };
  const bash = spawnSync('/bin/bash', ['-s'], { input: script.join('\n'), env: environment, encoding: 'utf8' });

  const seen = bash.stdout.split('\u0001');
  const wrong = safe.filter(({ words }, index) => {
    const expected = words.map((word) => `${word.replace(/^~(?=\/|$)/, surroundings.home)}\0`).join('');
    return seen[index] !== (expected === '' ? '\0' : expected);
  });
  assert.equal(bash.stderr, '');
  assert.deepEqual([wrong, seen.length - 1], [[], safe.length]);
  assert.ok(safe.length > 500);
});

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assessCommand } from '../../../src/tools/shell/assess-command.ts';
import { loadBashSyntax } from '../../../src/tools/shell/bash-syntax.ts';

const syntax = await loadBashSyntax();
const surroundings = { home: '/home/ann', folder: '/home/ann/project' };

function assess(command: string, folder = surroundings.folder): string {
  return assessCommand(command, { ...surroundings, folder }, syntax).type;
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
  '{rm,-rf,/}',
  "rm -rf $'\\x2f'",
  'rm -rf $"/"',
  '$BIN/rm -rf /',
  '$A$B rm -rf /',
  'bash -c "cd $FOLDER && rm -rf /"',
  'cd -- / && rm -rf *',
  'declare X=/; rm -rf $X',
  'X=/; X+=etc; rm -rf $X',
  'X=/; echo "rm -rf $X" | sh',
  'echo "rm -rf /" | { sh; }',
  'bash <<-EOF\n\trm -rf $X/\n\tEOF',
  'coproc rm -rf /',
  'until false; do reboot; done',
  'select x in a; do reboot; done',
  '[[ -n $(reboot) ]]',
  '(( $(reboot) ))',
  'for (( i=$(reboot); ; )); do ls; done',
  'x=$(reboot)',
  'x[$(reboot)]=1',
  'x=(1 $(reboot))',
  'export x="$(reboot)"',
  'echo "$(( $(reboot) ))"',
  'cat <<< $(reboot)',
  'ls > $(reboot)',
  'ls | tee >(reboot)',
  'echo "${x/a/`reboot`}"',
  '{ ls; } > /dev/sda',
  `X='eval "$X"'; eval "$X"; rm -rf /`,
];

const brokenLater: readonly string[] = [
  'rm -rf /\n)',
  'ls\nreboot\necho "',
  'reboot\ncat <<EOF\nno end',
  'reboot\nif true; then',
  'reboot; ls (x',
];

test('a disaster never runs in a text that bash would only find broken further on', () => {
  const missed = brokenLater.filter((command) => assess(command) !== 'forbidden');

  assert.deepEqual(missed, []);
});

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
  'echo x > /dev/zero',
  'find . -name "*.pyc" -delete',
  'npm test',
  'ls | tee x',
  'ls |& wc',
  'ls > x',
  'ls > x | wc',
  'ls; npm test',
  'npm test && pwd',
  'ls | xargs cat',
  'ls; cd /; cat ../x',
  '! ls | wc',
  'time ls | wc',
  '(ls; pwd)',
  'ls; { pwd; }; ls',
  'ls | (cat) | wc',
  'echo x | wc --files0-from=-',
  'echo x | du --files0=-',
  'ls | cat <<EOF\nx\nEOF',
  'ls &',
  'ls & pwd',
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
  'ls (x',
  'ls "$["',
  'ls "`pwd`"',
  'ls "$\\\n*"',
  'ls x (y z',
  'ls ;',
  'ls x\\',
  'ls !(x)',
  'ls ~+',
  'ls a=~',
  "ls $'x'",
  'ls $"x"',
  'time ls',
  '! ls',
  'f() { ls; }',
  'cat link/./../x',
  'rm -rf ~/$X/..',
  'rm -rf "/"x',
  'echo x > /dev/mapper/$X',
  "rm -rf '/*'",
  '(( rm -rf / ))',
  "X='~'; rm -rf $X",
  'cat <<EOF | wc\nreboot\nEOF',
  '',
  'date -s tomorrow',
  'date 010112002025',
  'hostname evil',
  'file -C -m x',
  'git push',
  'git status --short',
  'git log --oneline -n 5',
  'git --no-pager diff --stat',
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
  ['grep -n --color=auto x a.txt', ['-n', '--color=auto', 'auto', 'x', 'a.txt']],
  ['ls src # all of it', ['src']],
  ['ls x\r', ['x\r']],
  ['ls ./../x', ['./../x']],
  ['# first\n\n\tls src \\\n  lib\n# last', ['src', 'lib']],
  ['cat a\\ b "c \\$d" e\'f g\'', ['a b', 'c $d', 'ef g']],
  ['echo "5 $ or 6$"', ['5 $ or 6$']],
];

test('a plain reading command is safe, and names what it may read', () => {
  const risks = plain.map(([command]) => [command, assessCommand(command, surroundings, syntax)]);

  assert.deepEqual(
    risks,
    plain.map(([command, paths]) => {
      return [command, { type: 'safe', reads: [{ program: /^(?:#.*\s+)?(\w+)/.exec(command.trim())?.[1], paths }] }];
    }),
  );
});

test('plain reads that are piped or follow one another are safe, and all that they may read is named', () => {
  const command = 'ls -A /root | wc -l; cat "a;b" && pwd||echo x |\n  sort\ndate # now';

  assert.deepEqual(assessCommand(command, surroundings, syntax), {
    type: 'safe',
    reads: [
      { program: 'ls', paths: ['-A', '/root'] },
      { program: 'wc', paths: ['-l'] },
      { program: 'cat', paths: ['a;b'] },
      { program: 'pwd', paths: [] },
      { program: 'echo', paths: ['x'] },
      { program: 'sort', paths: [] },
      { program: 'date', paths: [] },
    ],
  });
});

test('what the parser cannot read, is not sure of, or leaves out is asked about', () => {
  const throws = { ...syntax, parse: () => assert.fail('the parser gave up') };
  const doubts = {
    ...syntax,
    parse: (text: string) => ({ ...syntax.parse(text), errors: [{ message: '?', pos: 0 }] }),
  };
  const skips = { ...syntax, parse: (text: string) => syntax.parse(text.replace('left;out', '        ')) };

  assert.equal(assessCommand('ls src', surroundings, throws).type, 'ask');
  assert.equal(assessCommand('ls src', surroundings, doubts).type, 'ask');
  assert.equal(assessCommand('reboot', surroundings, doubts).type, 'forbidden');
  for (const command of ['left;out ls src', 'ls left;out src', 'ls src left;out'])
    assert.equal(assessCommand(command, surroundings, skips).type, 'ask');
});

const endless: readonly string[] = [
  `X='${'eval "$X";'.repeat(3)}'; eval "$X"`,
  `X=xx;${'X=$X$X;'.repeat(100)} eval "$X"`,
  `eval ${'{1,2,3,4,5,6,7,8,9,0}'.repeat(30)}`,
  `${Array.from({ length: 2000 }, (_, index) => `x${index}=/;`).join('')}${'(:);'.repeat(2000)}(rm -rf $x1)`,
  `ls ${'{'.repeat(100_000)}`,
  `ls ${'$['.repeat(50_000)}`,
  `ls ${'$('.repeat(50_000)}`,
];

test('a text that would take forever to follow is asked about, after a bounded effort', () => {
  let read = 0;
  const counting: typeof syntax = {
    ...syntax,
    parse(text) {
      read += text.length;
      return syntax.parse(text);
    },
  };

  const seen = endless.map((command) => {
    read = 0;
    return [assessCommand(command, surroundings, counting).type, read < 5_000_000];
  });

  assert.deepEqual(
    seen,
    endless.map(() => ['ask', true]),
  );
});

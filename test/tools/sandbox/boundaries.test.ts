import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { outcomeToText } from '../../../src/model/message.ts';
import { probeSandbox } from '../../../src/tools/sandbox/probe-sandbox.ts';
import { needsSandbox, sandboxed } from '../../support/sandbox.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { openToolBench } from '../open-toolbox.ts';
import type { ToolBench } from '../open-toolbox.ts';

const here = await needsSandbox();
const report = await probeSandbox();

/** Runs a command that nobody is asked about. */
async function inside(bench: ToolBench, command: string): Promise<string> {
  const risk = await bench.assess('terminal', { command });
  assert.partialDeepStrictEqual(risk, { type: 'safe', within: 'sandbox' }, command);
  return await bench.run('terminal', { command });
}

test('a command writes to its folder and to a /tmp of its own, and to nothing else', here, async () => {
  await using bench = await openToolBench({ sandbox: sandboxed });
  const beside = join(dirname(bench.workdir), 'beside');
  const places = [`${bench.home}/x`, `${bench.userHome}/x`, '/x', '/etc/x', '/usr/x', '/var/x', '/run/x'];

  const noted = await inside(bench, 'echo private > /tmp/file');
  const written = await inside(
    bench,
    'echo mine > file; echo private > /tmp/file; cat file /tmp/file; ln /etc/passwd link',
  );
  await inside(bench, `echo x > ${beside}`);
  const failed = await inside(bench, 'touch /usr/x');
  const refused = await inside(bench, places.map((place) => `echo x > ${place}; echo $?`).join('; '));

  // How it ended stands last: people are shown a failure by it.
  assert.match(failed, /Read-only file system\n\[this ran in the sandbox: [^\n]*\]\n\[exit code 1\]$/);
  assert.match(noted, /^\[this ran in the sandbox: \/tmp\/file is not the one outside; no network; /);
  assert.match(written, /^mine\nprivate\n/);
  assert.equal(await readFile(join(bench.workdir, 'file'), 'utf8'), 'mine\n');
  assert.equal(existsSync('/tmp/file'), false);
  assert.equal(existsSync(join(bench.workdir, 'link')), false);
  assert.deepEqual(
    refused.match(/^\d$/gm),
    places.map(() => '1'),
  );
  assert.match(refused, /this ran in the sandbox: no network; .*call again with outside: true; the user is asked/);
  assert.deepEqual(
    [beside, `${bench.home}/x`, `${bench.userHome}/x`].filter((place) => existsSync(place)),
    [],
  );
});

test('neither the home nor our own folders nor what logs in can be seen, also through links', here, async () => {
  await using bench = await openToolBench({ sandbox: sandboxed });
  await mkdir(join(bench.userHome, '.ssh'));
  await mkdir(join(bench.workdir, 'api'));
  const secrets = [
    join(bench.home, '.env'),
    join(bench.userHome, '.ssh', 'id_rsa'),
    join(bench.userHome, 'notes.txt'),
    join(bench.workdir, '.env'),
    join(bench.workdir, 'api', 'server.key'),
  ];
  await Promise.all(secrets.map((path) => writeFile(path, 'the secret')));
  await symlink(join(bench.home, '.env'), join(bench.workdir, 'link'));
  const seen = [
    ...secrets,
    'link',
    '/etc/shadow',
    `/proc/1/root${bench.home}/.env`,
    `/proc/self/root${bench.home}/.env`,
  ];

  const text = await inside(bench, seen.map((path) => `cat ${path}; printf 'code %d\\n' $?`).join('; '));
  const listed = await inside(bench, `ls -A ~ ${bench.home} /run /home /root /mnt /srv /sys 2>&1 | cat; :`);

  assert.deepEqual(
    text.match(/code \d+/g),
    seen.map(() => 'code 1'),
  );
  assert.doesNotMatch(text, /the secret|root:/);
  assert.doesNotMatch(listed, /\.ssh|notes|state|config\.|docker\.sock|dbus|talaria-test.*home/);
  assert.match(listed, /\/run:\ntalaria\n/);
});

test('what a command sees of its sandbox by the words of programs names no folder of the user', here, async () => {
  await using bench = await openToolBench({ sandbox: sandboxed });

  const text = await inside(bench, "cat /proc/[0-9]*/cmdline | tr '\\0' ' '");

  assert.match(text, /bwrap .*--args 9 /);
  assert.equal(text.includes(dirname(bench.workdir)), false, text);
});

test(
  'what would act later, outside, is read-only: git, instructions for models, settings of their tools',
  here,
  async () => {
    await using bench = await openToolBench({ sandbox: sandboxed });
    await mkdir(join(bench.workdir, '.git', 'hooks'), { recursive: true });
    const files = ['.git/config', '.git/hooks/pre-commit', 'AGENTS.md', '.mcp.json', 'sub/CLAUDE.md'];
    await mkdir(join(bench.workdir, 'sub'));
    await Promise.all(files.map((name) => writeFile(join(bench.workdir, name), 'as it was')));
    const tries = [
      ...files.map((name) => `echo evil > ${name}`),
      'mv .git .was',
      'rm -rf .git',
      'echo ../evil > .git/commondir',
      'mv AGENTS.md was.md',
      'ln -sf evil .mcp.json',
    ];

    const text = await inside(bench, tries.map((one) => `${one} && echo "got through: ${one}"`).join('; '));

    assert.doesNotMatch(text, /got through/);
    const kept = await Promise.all(files.map((name) => readFile(join(bench.workdir, name), 'utf8')));
    assert.deepEqual(
      kept,
      files.map(() => 'as it was'),
    );
    assert.equal(existsSync(join(bench.workdir, '.git', 'commondir')), false);
  },
);

test('our own home is hidden also where it lies in the working folder', here, async () => {
  await using bench = await openToolBench({ sandbox: sandboxed, environment: { HOME: '/nonexistent' } });
  await writeFile(join(bench.home, '.env'), 'the secret');
  const place = { ...bench.place, workdir: dirname(bench.workdir) };

  const text = await bench.run(
    'terminal',
    { command: 'ls -A; ls -A talaria; cat talaria/.env; touch talaria/x' },
    place,
  );

  assert.match(text, /^talaria\nuser\nwork\ncat: talaria\/\.env: No such file or directory\ntouch: .*Read-only/);
});

test('a file of the folder that is a link to something else is not read through it', here, async () => {
  await using bench = await openToolBench({ sandbox: sandboxed });
  await writeFile(join(bench.userHome, 'notes.txt'), 'of the home');
  await symlink(join(bench.userHome, 'notes.txt'), join(bench.workdir, 'link'));
  await mkdir(join(bench.workdir, 'sub'));
  await symlink(bench.userHome, join(bench.workdir, 'sub', 'home'));

  const texts = [await inside(bench, 'cat link'), await inside(bench, 'head -n 1 sub/home/notes.txt')];

  for (const text of texts) assert.match(text, /No such file or directory/);
});

test('a call that was judged to read a file inside does not leave when a link takes its place', here, async () => {
  await using bench = await openToolBench({ sandbox: sandboxed });
  const [note, key] = [join(bench.workdir, 'notes.txt'), join(bench.userHome, '.ssh', 'id_ed25519')];
  await mkdir(dirname(key));
  await writeFile(key, 'a private key');
  await writeFile(note, 'a note');
  const prepared = await bench.prepare('terminal', { command: 'cat notes.txt', outside: true });
  await rm(note);
  await symlink(key, note);

  const text = outcomeToText(await prepared.run());

  assert.equal(prepared.risk.type, 'safe');
  assert.match(text, /^cat: notes\.txt: No such file or directory/);
});

test('a link that takes the place of a guarded file as the sandbox is made opens nothing', here, async () => {
  await using programs = await makeTempFolder();
  const real = report.type === 'available' ? report.program : '';
  const swap = `[ ! -d x/.git ] || { rmdir x/.git; ln -s ../../user x/.git; }`;
  const path = { PATH: `${programs.path}:${process.env['PATH']}` };
  await using bench = await openToolBench({ sandbox: sandboxed, environment: path });
  const script = `#!/bin/sh\n(cd '${bench.workdir}' && ${swap}) 2> /dev/null\nexec '${real}' "$@"\n`;
  await writeFile(join(programs.path, 'bwrap'), script, { mode: 0o755 });
  await mkdir(join(bench.userHome, '.ssh'));
  await writeFile(join(bench.userHome, '.ssh', 'id_ed25519'), 'a private key');

  const before = await inside(bench, 'echo all is well; :');
  await mkdir(join(bench.workdir, 'x', '.git'), { recursive: true });
  const text = await inside(bench, 'cat ~/.ssh/id_ed25519; :');

  assert.match(before, /^all is well/);
  assert.match(text, /^the sandbox could not be made: .*user was changed meanwhile\n[^]*\[exit code 126/);
});

test('a part of a project sees the whole of it, and writes only to itself', here, async () => {
  await using bench = await openToolBench({ sandbox: sandboxed });
  const project = join(dirname(bench.workdir), 'project');
  await mkdir(join(project, '.git'), { recursive: true });
  await mkdir(join(project, 'part'));
  await writeFile(join(project, 'README'), 'of the whole');
  await writeFile(join(project, '.env'), 'the secret');
  // A home is no project, so that this one is elsewhere.
  const place = { ...bench.place, workdir: join(project, 'part') };
  const command = 'cat ../README; cat ../.env; echo x > ../new; echo x > mine';

  const risk = await bench.assess('terminal', { command }, place);
  const text = await bench.run('terminal', { command }, place);

  assert.partialDeepStrictEqual(risk, { type: 'safe', within: 'sandbox' });
  assert.match(text, /^of the whole/);
  assert.doesNotMatch(text, /the secret/);
  assert.deepEqual(
    ['new', 'part/mine'].map((name) => existsSync(join(project, name))),
    [false, true],
  );
});

test('there is no way out by mounts, namespaces, the kernel, other processes, sockets or terminals', here, async () => {
  await using bench = await openToolBench({ sandbox: sandboxed });
  const tries = [
    'mount -o remount,rw /',
    'mount -o remount,rw /usr',
    'mount -t tmpfs none /mnt',
    'umount /tmp',
    ...(report.type === 'available' && report.userNamespaces === 'closed' ? ['unshare -U true'] : []),
    'unshare -m true',
    'nsenter -t 1 -m true',
    'chroot / true',
    'mknod /tmp/disk b 254 0',
    // What is written is what is there, so that a hole would do no harm.
    'cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern',
    `kill -0 ${process.pid}`,
    `ls /proc/${process.pid}`,
    'cat < /dev/tty',
    'ls /sys/fs/cgroup',
    'dmesg',
    '(exec 3<> /dev/tcp/1.1.1.1/53)',
    'getent hosts example.com',
  ];

  const text = await inside(bench, tries.map((one) => `${one} && echo "got through: ${one}"`).join('; '));
  const facts = await inside(
    bench,
    'grep -E "^(NoNewPrivs|CapEff|CapBnd)" /proc/self/status; wc -l < /proc/net/unix; echo /proc/self/fd/*',
  );

  assert.doesNotMatch(text, /got through/);
  // No capability, none to be won, and no socket. Open files: the three usual ones, the state, and the folder that is listed.
  const [first = '', second = '', third = '', sockets, files] = facts.split('\n');
  const bounds = [first, second, third].map((line) => line.split(/\s+/)[1]);
  assert.deepEqual(bounds, ['0000000000000000', '0000000000000000', '1']);
  assert.equal(sockets, '1');
  assert.equal(files, [0, 1, 2, 3, 41].map((file) => `/proc/self/fd/${file}`).join(' '));
});

test('the network is there where the settings say so, and not where they do not', here, async () => {
  await using server = await listen();
  await using shut = await openToolBench({ sandbox: sandboxed });
  await using open = await openToolBench({ sandbox: { ...sandboxed, network: 'shared' } });
  const command = `exec 3<> /dev/tcp/127.0.0.1/${server.port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && tail -n 1 <&3`;

  const [without, reached] = [await inside(shut, command), await inside(open, command)];

  assert.match(without, /connection refused[\s\S]*no network/i);
  assert.equal(reached, 'hello');
});

test('what a command leaves in its variables bends nothing outside, not even what only reads', here, async () => {
  await using bench = await openToolBench({ sandbox: sandboxed });
  await writeFile(join(bench.workdir, 'evil'), '#!/bin/sh\ntouch /tmp/x; echo evil\n', { mode: 0o755 });
  const from = { workdir: bench.workdir };
  await inside(bench, `export PATH=${bench.workdir}:$PATH LD_PRELOAD=/nowhere.so; cp evil cat; cp evil ls`);

  const read = await bench.run('terminal', { command: 'ls -d /var/lib', ...from });
  const agreed = await bench.run('terminal', { command: 'echo $LD_PRELOAD; ls', ...from, outside: true });
  // As no shell would leave it.
  const forged = String.raw`printf '\0touch got-out\nreturn # the folder:\n/\n\0' >&41; exec 41>&-`;
  await inside(bench, forged);
  const afterwards = await bench.run('terminal', { command: 'ls; true', ...from, outside: true });

  assert.match(read, /^\/var\/lib\n/);
  assert.equal(agreed, '\ncat\nevil\nls\n[set in the sandbox, and not out here: LD_PRELOAD, PATH]');
  assert.equal(afterwards, 'cat\nevil\nls');
});

async function listen(): Promise<AsyncDisposable & { readonly port: number }> {
  const server: Server = createServer((_request, response) => response.end('hello\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findSshObstacle, openSshServer } from '../../support/ssh-server.ts';
import type { SshServer } from '../../support/ssh-server.ts';
import { isRunning, whenGone } from '../../support/processes.ts';
import { openToolBench } from '../open-toolbox.ts';
import type { ToolBench, ToolBenchOptions } from '../open-toolbox.ts';

const withSsh = { skip: findSshObstacle() };
let opening: Promise<SshServer> | undefined;
let server: SshServer;

after(async () => {
  await (await opening)?.[Symbol.asyncDispose]();
});

async function openBench(options: ToolBenchOptions = {}, host?: SshServer): Promise<ToolBench> {
  server = await (opening ??= openSshServer());
  const there = host ?? server;
  return await openToolBench({ ...options, terminal: { backend: 'ssh', ssh: there.settings } });
}

/** Begins a command, and waits for its first line. */
async function begin(bench: ToolBench, command: string, signal: AbortSignal, timeout = 60) {
  const line = Promise.withResolvers<string>();
  const outcome = bench.outcome('terminal', { command, timeout }, { signal, progress: line.resolve });
  return { outcome, line: await line.promise };
}

test('folder and exported variables persist on the host, over a restart of the program too', withSsh, async () => {
  await using bench = await openBench();

  const first = await bench.run('terminal', { command: `cd /usr; export A=$'it\\'s "1"\\n2'; b=1; pwd; unset LANG` });
  const second = await bench.run('terminal', { command: 'pwd; echo "$A ${b-none}"; cd /; cd -' });
  await bench.shutDown();
  bench.restart();
  const third = await bench.run('terminal', { command: 'pwd; echo "$A"; unset A; cd ~' });
  const fourth = await bench.run('terminal', { command: 'pwd; echo "${A-none}"' });

  assert.equal(first, `/usr\n[this ran on root@127.0.0.1; the file tools see this machine, not root@127.0.0.1]`);
  assert.equal(second, `/usr\nit's "1"\n2 none\n/usr`);
  assert.equal(third, `/usr\nit's "1"\n2`);
  assert.equal(fourth, `${server.home}\nnone`);
});

test('exit codes, standard error and the standard input are those of the command', withSsh, async () => {
  await using bench = await openBench();
  await bench.run('terminal', { command: 'true' });

  assert.equal(await bench.run('terminal', { command: 'echo out; echo err >&2; exit 3' }), 'out\nerr\n[exit code 3]');
  assert.equal(
    await bench.run('terminal', { command: 'kill -9 $$' }),
    '[exit code 137: ended by SIGKILL, possibly out of memory]',
  );
  assert.equal(
    await bench.run('terminal', { command: 'no-such-program 2>/dev/null' }),
    '[exit code 127: command not found]',
  );
  assert.equal(await bench.run('terminal', { command: 'cat; echo "ends"; umask' }), 'ends\n0022');
  assert.equal(await bench.run('terminal', { command: 'echo one > /dev/stderr; echo two' }), 'one\ntwo');
});

test('in a folder that is gone nothing runs, and what there is instead is told', withSsh, async () => {
  await using bench = await openBench();
  await bench.run('terminal', { command: 'mkdir ~/gone && cd ~/gone' });
  await rm(join(server.home, 'gone'), { recursive: true });

  const moved = await bench.run('terminal', { command: 'pwd' });
  const missing = await bench.run('terminal', { command: 'pwd', workdir: 'nowhere' });
  const home = await bench.run('terminal', { command: 'pwd', workdir: '~' });

  const nothingRan = (path: string): string =>
    `ERROR: there is no folder ${path} on root@127.0.0.1; the command has not run. Say where with workdir; ${server.home} exists`;
  assert.equal(moved, nothingRan(`${server.home}/gone`));
  assert.equal(missing, nothingRan(`${server.home}/gone/nowhere`));
  assert.equal(home, server.home);
});

test(
  'an output of any length keeps its beginning and its end, and takes little room on the host',
  withSsh,
  async () => {
    await using bench = await openBench();
    await bench.run('terminal', { command: 'true' });
    const out = `${server.home}/.talaria-remote/${bench.place.sessionId}/*/out`;

    const text = await bench.run('terminal', {
      command: 'echo begins; yes 0123456789 | head -c 70000000; echo; echo ends',
    });
    const size = await bench.run('terminal', { command: `du -cm ${out} | tail -n 1` });

    assert.match(text, /^begins\n0123456789\n/);
    assert.match(text, /\n\[… 69,9\d\d,\d\d\d of 70,000,0\d\d characters left out …\]\n/);
    assert.match(text, /\n0123456789\n\S*\nends$/);
    assert.ok(text.length < 60_000);
    assert.ok(Number.parseInt(size, 10) <= 3, size);
  },
);

test('a command that runs out of time is ended with all that it started', withSsh, async () => {
  await using bench = await openBench();
  await bench.run('terminal', { command: 'true' });
  const stubborn = `trap '' TERM; (trap '' TERM; echo $BASHPID > ~/inner; sleep 1000) & echo before; sleep 1000; wait`;

  const text = await bench.run('terminal', { command: stubborn, timeout: 1 });

  assert.equal(text, 'before\n[timed out after 1 s]\n[exit code 124]');
  await whenGone(Number(await readFile(join(server.home, 'inner'), 'utf8')));
});

test(
  'a stop ends the command on the host, and what it had put out is told, of the first one too',
  withSsh,
  async () => {
    await using bench = await openBench();
    const stop = new AbortController();

    const { outcome, line } = await begin(bench, 'echo $$; sleep 1000', stop.signal);
    stop.abort({ type: 'stop' });

    assert.deepEqual(await outcome, {
      type: 'done',
      parts: [
        {
          type: 'text',
          text: `${line}\n[stopped by the user, exit code 130]\n[this ran on root@127.0.0.1; the file tools see this machine, not root@127.0.0.1]`,
        },
      ],
      ended: 'stopped',
    });
    await whenGone(Number(line));
  },
);

test('what a command leaves running does not hold up its result, and ends with the session', withSsh, async () => {
  await using bench = await openBench();
  await bench.run('terminal', { command: 'true' });

  const pids = await bench.run('terminal', { command: 'sleep 1000 & echo $!; setsid sleep 1000 & echo $!' });
  const running = pids.split('\n').map(Number);
  assert.deepEqual(await Promise.all(running.map(isRunning)), [true, true]);
  await bench.toolbox.endTask(bench.place.sessionId);

  await Promise.all(running.map(whenGone));
  assert.deepEqual(await readdir(join(server.home, '.talaria-remote')), []);
});

test('three commands at once on one connection are three results', withSsh, async () => {
  await using bench = await openBench();

  const texts = await Promise.all(
    [1, 2, 3].map((number) => bench.run('terminal', { command: `echo ${number}; exit ${number}` })),
  );

  const plain = texts.map((text) => text.replace(/\n\[this ran.*/, ''));
  assert.deepEqual(plain, ['1\n[exit code 1]', '2\n[exit code 2]', '3\n[exit code 3]']);
});

test('an unknown host key is an error that says what to run', withSsh, async () => {
  await using stranger = await openSshServer({ knows: 'nobody' });
  await using bench = await openBench({}, stranger);

  const text = await bench.run('terminal', { command: 'touch ~/ran' });

  const { port, keyFile, knownHostsFile } = stranger.settings;
  const byHand = `ssh -p ${port} -i ${keyFile} -o UserKnownHostsFile=${knownHostsFile} root@127.0.0.1`;
  assert.equal(
    text,
    `ERROR: the host key of root@127.0.0.1 is not known yet. The user has to check and accept it once, by running: ${byHand}. Nothing was run`,
  );
  assert.deepEqual(await readdir(stranger.home), []);
});

test('a host key that has changed is an error of its own', withSsh, async () => {
  await using changed = await openSshServer({ knows: 'another' });
  await using bench = await openBench({}, changed);

  assert.match(
    await bench.run('terminal', { command: 'touch ~/ran' }),
    /^ERROR: the host key .* is not the one .* ssh-keygen -R /,
  );
  assert.deepEqual(await readdir(changed.home), []);
});

test('a host that is down costs the call alone, and works again once it is back', withSsh, async () => {
  await using host = await openSshServer();
  await using bench = await openBench({}, host);
  await bench.run('terminal', { command: 'export A=1' });

  await host.stop();
  const down = await bench.run('terminal', { command: 'echo $A' });
  await host.start();
  const up = await bench.run('terminal', { command: 'echo $A' });

  assert.match(down, /^ERROR: root@127\.0\.0\.1 cannot be reached \(.*Connection refused\).*The command has not run$/);
  assert.equal(up, '1');
});

test('a connection that breaks while a command runs is made again, and the command runs once', withSsh, async () => {
  await using host = await openSshServer();
  await using bench = await openBench({}, host);
  const wait = 'while [ ! -e ~/go ]; do sleep 0.02; done';

  const command = `echo ran >> ~/ledger; echo begun; ${wait}; cat ~/ledger; exit 4`;
  const { outcome } = await begin(bench, command, new AbortController().signal);
  await host.stop();
  await mkdir(join(host.home, 'go'));
  await host.start();

  assert.match(JSON.stringify(await outcome), /"begun\\nran\\n\[exit code 4\]/);
});

test(
  'nothing of our environment reaches the host, and no command stands in the arguments of ssh',
  withSsh,
  async () => {
    const environment = { OPENAI_API_KEY: 'sk-not-for-the-host', LANG: 'de_DE.UTF-8', MINE: 'passed' };
    await using bench = await openBench({ environment, envPassthrough: ['MINE'] });
    const stop = new AbortController();

    const seen = await bench.run('terminal', { command: 'env; tr "\\0" " " < /proc/$PPID/environ' });
    const { outcome } = await begin(bench, 'echo word-of-the-command; sleep 1000', stop.signal);
    const port = `Port=${server.settings.port}`;
    const words = (await allArguments()).find(([program, ...rest]) => program === 'ssh' && rest.includes(port)) ?? [];
    stop.abort({ type: 'stop' });
    await outcome;

    assert.match(seen, /^TALARIA_REMOTE_SESSION=/m);
    assert.doesNotMatch(seen, /sk-not-for-the-host|OPENAI|LANG=|MINE|SSH_AUTH_SOCK/);
    const fixed = [
      'BatchMode=yes',
      'StrictHostKeyChecking=yes',
      'ForwardAgent=no',
      'ForwardX11=no',
      'ConnectTimeout=10',
    ];
    const missing = fixed.filter((option) => !words.includes(option));
    assert.deepEqual(missing, []);
    assert.doesNotMatch(words.join(' '), /word-of-the-command|sk-not/);
  },
);

/** What the processes of this machine were started with. */
async function allArguments(): Promise<readonly (readonly string[])[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return lines.map((line) => line.split('\0'));
}

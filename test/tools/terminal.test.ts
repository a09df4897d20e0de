import assert from 'node:assert/strict';
import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { newId } from '../../src/base/ids.ts';
import { customKey } from '../../src/providers/find-keys.ts';
import { vendors } from '../../src/providers/vendors.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { isRunning, whenGone } from '../support/processes.ts';
import { openToolBench } from './open-toolbox.ts';

const onLinux = {
  skip: process.platform === 'linux' ? false : 'processes are found by their environment on Linux only',
};

test('TERM-01 folder and exported variables persist; functions, aliases and plain variables do not', async () => {
  await using bench = await openToolBench();
  await mkdir(join(bench.workdir, "it's a\nfolder"));
  const set = `cd "it's a\nfolder"; export A=$'two\\nlines "and" $quotes'; b=1; f() { :; }; export -f f; alias g=ls`;

  assert.equal(await bench.run('terminal', { command: set }), '[no output]');
  const after = await bench.run('terminal', { command: 'pwd; echo "$A"; echo "b=$b"; type f || type g || echo gone' });

  const folder = join(bench.workdir, "it's a\nfolder");
  const shown = after.split('\n').filter((line) => !line.endsWith(': not found'));
  assert.equal(shown.join('\n'), `${folder}\ntwo\nlines "and" $quotes\nb=\ngone`);
});

test('what a command unset stays unset, and cd - goes back', async () => {
  await using bench = await openToolBench();

  await bench.run('terminal', { command: 'unset LANG; export X=1; cd /usr; cd /' });
  await bench.run('terminal', { command: 'unset X' });

  assert.equal(await bench.run('terminal', { command: 'echo "${LANG-none} ${X-none}"; cd -' }), 'none none\n/usr');
});

test('the state of a shell survives a restart of the program', async () => {
  await using bench = await openToolBench();
  await bench.run('terminal', { command: 'cd /usr && export KEPT=yes' });

  bench.restart();

  assert.equal(await bench.run('terminal', { command: 'pwd; echo $KEPT' }), '/usr\nyes');
});

test('the state is written down however the command ends', async () => {
  await using bench = await openToolBench();
  const ways = [
    'cd /usr; exit 3',
    'cd /; false',
    'set -eu; cd /usr; false; true',
    "trap 'echo bye' EXIT; cd /",
    'leave() { cd /usr; exit 4; }; leave',
  ];

  const seen: string[] = [];
  for (const command of ways) {
    seen.push(await bench.run('terminal', { command }), await bench.run('terminal', { command: 'pwd' }));
  }

  const expected = ['[exit code 3]', '/usr', '[exit code 1]', '/', '[exit code 1]', '/usr', 'bye', '/'];
  assert.deepEqual(seen, [...expected, '[exit code 4]', '/usr']);
});

test('a command that is killed leaves the state as it was', async () => {
  await using bench = await openToolBench();
  await bench.run('terminal', { command: 'export A=1; cd /usr' });

  await bench.run('terminal', { command: 'export A=2; cd /; kill -9 $$' });
  await bench.run('terminal', { command: 'export A=3; cd /; sleep 60', timeout: 1 });

  assert.equal(await bench.run('terminal', { command: 'echo $A; pwd' }), '1\n/usr');
  assert.deepEqual(await readdir(join(bench.taskFolder, bench.place.sessionId)), ['calls', 'shell']);
});

test('what a command writes among its state makes the state count for nothing', async () => {
  await using bench = await openToolBench();
  await bench.run('terminal', { command: 'cd /usr' });
  const late = `mkfifo "$HOME/go"; (read < "$HOME/go"; printf 'export A=1\\n\\n' >&41) & trap 'echo > "$HOME/go"; wait' EXIT`;

  await bench.run('terminal', { command: 'cd /; echo "export A=1" >&41' });
  await bench.run('terminal', { command: `${late}; cd /` });

  assert.equal(await bench.run('terminal', { command: 'echo "${A-none}"; pwd' }), 'none\n/usr');
});

test('a state that is not whole is not taken up', async () => {
  await using bench = await openToolBench();
  await bench.run('terminal', { command: 'cd /usr' });
  const withoutEnd = String.raw`printf '\0'; export -p; echo 'return # the folder:'; pwd`;
  const withoutBeginning = String.raw`echo 'export A=1'; echo 'return # the folder:'; pwd; printf '\0'`;
  const withoutFolder = String.raw`printf '\0'; echo 'export A=1'; printf '\0'`;

  for (const account of [withoutEnd, withoutBeginning, withoutFolder]) {
    await bench.run('terminal', { command: `cd /; { ${account}; } >&41; exec 41>&-` });
  }

  assert.equal(await bench.run('terminal', { command: 'echo "${A-none}"; pwd' }), 'none\n/usr');
});

test('a shell that another program took the place of leaves the state as it was, whoever holds its pipe', async () => {
  await using bench = await openToolBench();
  await bench.run('terminal', { command: 'cd /usr' });

  const pid = Number(await bench.run('terminal', { command: 'sleep 1000 >/dev/null 2>&1 & cd /; exec echo $!' }));

  assert.equal(await bench.run('terminal', { command: 'pwd' }), '/usr');
  await bench.toolbox.endTask(bench.place.sessionId);
  await whenGone(pid);
});

test('the state ends with its task', async () => {
  await using bench = await openToolBench();
  await bench.run('terminal', { command: 'cd /usr; export A=1' });

  await bench.toolbox.endTask(bench.place.sessionId);

  assert.equal(await bench.run('terminal', { command: 'pwd; echo "${A-none}"' }), `${bench.workdir}\nnone`);
});

test('where a session has no path, or one that bash spells out, no reading command counts as one of the system', async () => {
  await using bench = await openToolBench();
  const riskOfWhich = async (): Promise<string> => (await bench.assess('terminal', { command: 'which node' })).type;

  const risks = [await riskOfWhich()];
  for (const change of [String.raw`export PATH=$'/tmp/\x01:'"$PATH"`, 'unset PATH']) {
    await bench.run('terminal', { command: change });
    risks.push(await riskOfWhich());
  }

  assert.deepEqual(risks, ['safe', 'ask', 'ask']);
});

test('the state is kept whatever it holds: more than a pipe does, or bytes that are no text', async () => {
  await using bench = await openToolBench();
  const set = String.raw`printf -v BIG '%*s' 300000 ''; export BIG ODD=$'a\xffb'`;
  const look = String.raw`echo "${'${#BIG}'}"; [ "$ODD" = $'a\xffb' ] && echo same`;

  await bench.run('terminal', { command: set });

  assert.equal(await bench.run('terminal', { command: look }), '300000\nsame');
});

test('neither a command that uses descriptors of its own nor a process that it leaves behind holds up the state', async () => {
  await using bench = await openToolBench();
  const command = 'exec 3>out; sleep 1000 >&3 2>&3 & echo $! >&3; cd /usr; exit 0';

  await bench.run('terminal', { command });

  assert.equal(await bench.run('terminal', { command: 'pwd' }), '/usr');
  const pid = Number(await readFile(join(bench.workdir, 'out'), 'utf8'));
  assert.equal(await isRunning(pid), true);
  await bench.toolbox.endTask(bench.place.sessionId);
  await whenGone(pid);
});

test('commands side by side leave one whole state, never a mixture', async () => {
  await using bench = await openToolBench();
  const commands = ['/usr', '/', '/etc', '/var'].map((folder) => `cd ${folder}; export A=${folder}; exit 0`);

  await Promise.all(commands.map((command) => bench.run('terminal', { command })));

  const [variable, folder] = (await bench.run('terminal', { command: 'echo $A; pwd' })).split('\n');
  assert.equal(variable, folder);
});

test('a command whose state cannot be kept still gives its output, and says so', async () => {
  await using bench = await openToolBench();
  await bench.run('terminal', { command: 'true' });
  const folder = join(bench.taskFolder, bench.place.sessionId);
  await rm(join(folder, 'shell'));
  await mkdir(join(folder, 'shell'));

  const text = await bench.run('terminal', { command: 'export A=1; echo done' });

  assert.match(text, /^done\n\[folder and variables were not kept: EISDIR.*\]$/);
});

test('only the owner can read what a shell left', async () => {
  await using bench = await openToolBench();
  await bench.run('terminal', { command: 'umask 000; export SECRET=1' });

  const folder = join(bench.taskFolder, bench.place.sessionId);
  const modes = await Promise.all([folder, join(folder, 'shell')].map((path) => stat(path)));

  assert.deepEqual(
    modes.map((file) => file.mode & 0o777),
    [0o700, 0o600],
  );
});

test('TERM-02 a command has no input, a group of its own, and its errors stand in order among its output', async () => {
  await using bench = await openToolBench();
  const command = 'read line || echo eof; for i in 1 2 3; do echo out $i; echo err $i >&2; done; kill -0 -- -$$';

  assert.equal(await bench.run('terminal', { command }), 'eof\nout 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3');
});

test('the text of a command reaches bash as it is and is not in the environment of its children', async () => {
  await using bench = await openToolBench();
  const command = `echo "it's" '"quoted"' \\$HOME $# "$@" # done\ncat <<'X'\n$(not run) \`nor this\`\nX\nenv | grep -c 'not run'`;

  const text = await bench.run('terminal', { command });

  assert.equal(text, `it's "quoted" $HOME 0\n$(not run) \`nor this\`\n0\n[exit code 1: no matches]`);
});

test('a syntax error is reported with the line it stands on', async () => {
  await using bench = await openToolBench();

  const text = await bench.run('terminal', { command: 'echo fine\nif ; then' });

  assert.match(text, /line 2: syntax error near unexpected token `;'/);
  assert.match(text, /\[exit code 2\]$/);
});

test('TERM-15 children see an allow-list of the environment, and our credentials cannot be let through', async () => {
  const ours = {
    OPENAI_API_KEY: 'sk-1',
    TELEGRAM_BOT_TOKEN: 't-1',
    ANTHROPIC_AUTH_TOKEN: 'a-1',
    TALARIA_DB_PASSWORD: 'p',
    BRAVE_API_KEY: 'b-1',
    BRAVE_SEARCH_API_KEY: 'b-2',
    TAVILY_API_KEY: 'v-1',
    [customKey]: 'c-1',
    ...Object.fromEntries(vendors.flatMap(({ envKey }) => (envKey === undefined ? [] : [[envKey, 'k-1']]))),
  };
  await using bench = await openToolBench({
    environment: { ...ours, MY_SETTING: 'mine', OTHER: 'other', LC_ALL: 'C', TZ: 'UTC', TERM: 'dumb' },
    envPassthrough: ['MY_SETTING', ...Object.keys(ours), 'openai_api_key'],
  });

  const text = await bench.run('terminal', { command: 'env -u _ -u SHLVL -u PWD -u OLDPWD | cut -d= -f1 | sort' });

  assert.deepEqual(text.split('\n'), ['HOME', 'LANG', 'LC_ALL', 'MY_SETTING', 'PATH', 'TALARIA_SESSION', 'TERM', 'TZ']);
});

test('a command does not find what the start-up files of bash set', async () => {
  await using bench = await openToolBench();
  await Promise.all(
    ['.bashrc', '.profile', '.bash_profile'].map((name) => writeFile(join(bench.userHome, name), 'echo read; a=1')),
  );

  assert.equal(await bench.run('terminal', { command: 'echo "${a-none}"' }), 'none');
});

test('TERM-03 a timeout above ten minutes is refused with advice', async () => {
  await using bench = await openToolBench();

  const outcome = await bench.outcome('terminal', { command: 'touch ran', timeout: 601 });

  assert.equal(outcome.type, 'failed');
  assert.match(outcome.type === 'failed' ? outcome.message : '', /at most 600 seconds; .*background/);
  assert.equal((await bench.assess('terminal', { command: 'touch ran', timeout: 601 })).type, 'forbidden');
  assert.deepEqual(await readdir(bench.workdir), []);
});

test('TERM-04 a command that takes too long is ended, and what it had put out is kept', async () => {
  const clock = new ManualClock();
  await using bench = await openToolBench({ clock });
  const begun = Promise.withResolvers<void>();

  const running = bench.run('terminal', { command: 'echo begun; sleep 1000' }, { progress: () => begun.resolve() });
  await begun.promise;
  clock.advance(180_000);

  assert.equal(await running, 'begun\n[timed out after 180 s]\n[exit code 124]');
});

test('an abort ends the whole group and keeps what was put out', async () => {
  await using bench = await openToolBench();
  const stop = new AbortController();
  const begun = Promise.withResolvers<string>();
  const command = 'sleep 1000 & echo $!; wait';

  const running = bench.run('terminal', { command }, { signal: stop.signal, progress: begun.resolve });
  const pid = Number(await begun.promise);
  stop.abort();

  assert.equal(await running, `${pid}\n[stopped by the user, exit code 130]`);
  await whenGone(pid);
});

test('an abort that came first runs nothing, and one before any output is an interruption', async () => {
  await using bench = await openToolBench();
  const stop = new AbortController();

  const quiet = bench.outcome('terminal', { command: 'sleep 1000' }, { signal: stop.signal });
  stop.abort();
  const late = await bench.outcome('terminal', { command: 'touch ran' }, { signal: stop.signal });

  assert.deepEqual([await quiet, late], [{ type: 'interrupted' }, { type: 'interrupted' }]);
  assert.deepEqual(await readdir(bench.workdir), []);
});

test('TERM-05 a command that ignores the request to end is ended all the same', async () => {
  await using bench = await openToolBench();
  const stop = new AbortController();
  const begun = Promise.withResolvers<string>();
  const command = `trap '' TERM; echo $$; while :; do sleep 1000; done`;

  const running = bench.run('terminal', { command }, { signal: stop.signal, progress: begun.resolve });
  const pid = Number(await begun.promise);
  stop.abort();

  assert.match(await running, /stopped by the user/);
  await whenGone(pid);
});

test('TERM-06 a process left in the background that keeps the output open does not hold up the result', async () => {
  await using bench = await openToolBench();

  const text = await bench.run('terminal', { command: 'sleep 1000 & echo $!' });

  const pid = Number(text);
  assert.equal(await isRunning(pid), true);
  await bench.toolbox.endTask(bench.place.sessionId);
  await whenGone(pid);
});

test(
  'ending a task ends all its processes, also of an earlier run of the program, and no others',
  onLinux,
  async () => {
    await using bench = await openToolBench();
    const other = { sessionId: newId('session', Date.now()) };
    const command = 'setsid sleep 1000 >/dev/null 2>&1 & echo $!';
    const ours = Number(await bench.run('terminal', { command }));
    const theirs = Number(await bench.run('terminal', { command }, other));

    bench.restart();
    await bench.toolbox.endTask(bench.place.sessionId);

    await whenGone(ours);
    assert.equal(await isRunning(theirs), true);
    const folders = (await readdir(bench.taskFolder)).filter((name) => !name.startsWith('.slot-'));
    assert.deepEqual(folders, [other.sessionId]);
    await bench.toolbox.endTask(other.sessionId);
    await whenGone(theirs);
  },
);

test('ending a task reaches a process that hides its environment, through its group', async () => {
  await using bench = await openToolBench();
  const pid = Number(await bench.run('terminal', { command: 'env -i sleep 1000 & echo $!' }));

  await bench.toolbox.endTask(bench.place.sessionId);

  await whenGone(pid);
});

test('ending a task ends the command that is running', async () => {
  await using bench = await openToolBench();
  const begun = Promise.withResolvers<string>();

  const running = bench.run('terminal', { command: 'echo begun; exec sleep 1000' }, { progress: begun.resolve });
  await begun.promise;
  await bench.toolbox.endTask(bench.place.sessionId);

  assert.equal(await running, 'begun\n[exit code 143: ended by SIGTERM]');
});

test('TERM-07 a folder that was deleted gives way to the nearest one above it', async () => {
  await using bench = await openToolBench();
  await bench.run('terminal', { command: 'mkdir -p a/b/c && cd a/b/c' });
  await rm(join(bench.workdir, 'a/b'), { recursive: true });

  const text = await bench.run('terminal', { command: 'pwd' });

  const gone = join(bench.workdir, 'a/b/c');
  const here = join(bench.workdir, 'a');
  assert.equal(text, `${here}\n[the folder ${gone} is gone; this ran in ${here}]`);
  assert.equal(await bench.run('terminal', { command: 'pwd' }), here);
});

test('a workdir is where the command runs, and a missing one is an error', async () => {
  await using bench = await openToolBench();
  await mkdir(join(bench.workdir, 'odd; touch hacked'));

  const text = await bench.run('terminal', { command: 'pwd', workdir: 'odd; touch hacked' });
  const missing = await bench.run('terminal', { command: 'pwd', workdir: 'nowhere' });

  const folder = join(bench.workdir, 'odd; touch hacked');
  assert.deepEqual([text, missing], [folder, `ERROR: workdir: there is no folder ${join(folder, 'nowhere')}`]);
});

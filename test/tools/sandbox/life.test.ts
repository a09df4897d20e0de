import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { outcomeToText } from '../../../src/model/message.ts';
import { BackgroundProcesses } from '../../../src/tools/processes/background-processes.ts';
import { processesWith } from '../../../src/tools/shell/process-group.ts';
import { TaskGroup } from '../../../src/tools/sandbox/task-group.ts';
import { needsSandbox, sandboxed } from '../../support/sandbox.ts';
import { openToolBench } from '../open-toolbox.ts';
import type { ToolBench } from '../open-toolbox.ts';

const here = await needsSandbox();
const bounded = await boundsTasks();
const waitForGo = 'while [ ! -e go ]; do sleep 0.01; done';
const call = { idempotencyKey: 'the-call' };

/** Resolves once nothing of the session runs any more, by the system's own account. */
async function whenNothingRuns({ place }: ToolBench): Promise<void> {
  while (processesWith(`TALARIA_SESSION=${place.sessionId}`).length > 0) await nextTick();
}

/** Runs a command up to its first line, and then stops it as a person does. */
async function stopAfterFirstLine(bench: ToolBench, command: string): Promise<string> {
  const stop = new AbortController();
  const begun = Promise.withResolvers<string>();
  const running = bench.run('terminal', { command }, { signal: stop.signal, progress: begun.resolve });
  await begun.promise;
  stop.abort();
  return await running;
}

test(
  'folder and variables last from call to call, and what was exported outside is there inside, too',
  here,
  async () => {
    await using bench = await openToolBench({ sandbox: sandboxed });
    const lines = async (command: string, more = {}): Promise<string> =>
      await bench.run('terminal', { command, ...more });

    await lines('export FROM_OUTSIDE=agreed; mkdir -p a/b; cd a', { outside: true });
    await lines('export FROM_INSIDE="not asked"; cd b; mkdir /tmp/mine');
    const inside = await lines('echo "$FROM_OUTSIDE, $FROM_INSIDE"; pwd; cd -');
    const outside = await lines('echo "$FROM_OUTSIDE, $FROM_INSIDE"; pwd', { outside: true });
    await lines('export FROM_OUTSIDE=changed; cd ..', { outside: true });
    bench.restart();
    const later = await lines('echo "$FROM_OUTSIDE, $FROM_INSIDE"; pwd; cd /tmp/mine; touch file');
    const read = await lines('ls');

    assert.equal(inside, `agreed, not asked\n${bench.workdir}/a/b\n${bench.workdir}/a`);
    assert.equal(outside, `agreed, \n${bench.workdir}/a\n[set in the sandbox, and not out here: FROM_INSIDE]`);
    assert.equal(
      later.replace(/\[this ran in the sandbox: \/tmp\/mine .*/, ''),
      `changed, not asked\n${bench.workdir}\n`,
    );
    // It stands in a folder that only the sandbox has.
    assert.equal(read, 'file');
  },
);

test('a folder that the sandbox does not show is told, with the ways to go on', here, async () => {
  await using bench = await openToolBench({ sandbox: sandboxed });
  await bench.run('terminal', { command: 'cd /var/lib; true', outside: true });

  const text = await bench.run('terminal', { command: 'echo here; true' });
  const below = await bench.run('terminal', { command: 'pwd; true', workdir: bench.workdir });

  const ways = `set workdir to ${bench.workdir} or below, or call again with outside: true, and the user is asked`;
  assert.equal(text, `ERROR: the sandbox does not show /var/lib; ${ways}`);
  assert.equal(below, bench.workdir);
});

test('input is empty, output is bounded, and what a command leaves running ends with it', here, async () => {
  await using bench = await openToolBench({ sandbox: sandboxed });

  const input = await bench.run('terminal', { command: 'cat; true; echo end of input' });
  const output = await bench.run('terminal', { command: 'head -c 70000000 /dev/zero | tr "\\0" x; true' });
  await bench.run('terminal', { command: 'sleep 1000 & setsid sleep 1000 & env -i setsid sleep 1000 & echo begun' });

  assert.equal(input, 'end of input');
  assert.match(output, /x\n\[… 69,950,000 of 70,000,000 characters left out …\]\nx/);
  await whenNothingRuns(bench);
});

test('whoever is stopped is asked first, and ends also if he does not listen', here, async () => {
  await using bench = await openToolBench({ sandbox: sandboxed });

  const polite = await stopAfterFirstLine(
    bench,
    'trap "sleep 0.1; echo went; exit 3" TERM; echo begun; sleep 1000 & wait',
  );
  const stubborn = await stopAfterFirstLine(bench, 'trap "" TERM; echo begun; while :; do sleep 1000; done');

  assert.match(polite, /^begun\nwent\n\[stopped by the user/);
  assert.match(stubborn, /^begun\n\[stopped by the user/);
  await whenNothingRuns(bench);
});

test('a command that forks without end comes to an end', bounded, async () => {
  await using bench = await openToolBench({ sandbox: sandboxed });
  const fork = 'for ($n = 0; $n < 6000; $n++) { $pid = fork; last unless defined $pid; sleep 100 unless $pid }';

  const text = await bench.run('terminal', { command: `perl -e '${fork} print "$n\\n"'; ulimit -d`, timeout: 60 });

  const [forked = '', memory] = text.split('\n');
  assert.ok(Number(forked) > 100 && Number(forked) < 6000, text);
  assert.notEqual(memory, 'unlimited');
  await whenNothingRuns(bench);
});

test('after kill -9 of the program a command goes on inside, ran once, and its state stays inside', here, async () => {
  await using bench = await openToolBench({ sandbox: sandboxed });
  const command = `echo ran >> ledger; echo begun; ls /proc/self/fd/77/ 2> /dev/null; ${waitForGo}; export A=1; cd /usr; echo ended; exit 3`;
  const child = fileURLToPath(new URL('../../support/shell-child.ts', import.meta.url));
  const args = [child, bench.home, bench.workdir, bench.place.sessionId, command, '60', 'sandbox'];
  // An open folder that whoever starts the program has left it: who has it can go on from there.
  const withFolder = ['-c', 'exec 77< "$0"; exec "$@"', bench.home, process.execPath, ...args];
  const program = spawn('bash', withFolder, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(program, 'exit');
  await once(program.stdout, 'data');

  program.kill('SIGKILL');
  await ended;
  const recovered = bench.recover('terminal', { command }, call);
  await writeFile(join(bench.workdir, 'go'), '');
  const outcome = await recovered;
  const inside = await bench.run('terminal', { command: 'echo "$A"; pwd' });
  const outside = await bench.run('terminal', { command: 'echo "$A"; pwd', outside: true });

  assert.equal(outcome && outcomeToText(outcome), 'begun\nended\n[this ran in the sandbox]\n[exit code 3]');
  assert.equal(await readFile(join(bench.workdir, 'ledger'), 'utf8'), 'ran\n');
  assert.equal(inside, '1\n/usr');
  assert.equal(outside, '\n/usr\n[set in the sandbox, and not out here: A]');
});

test(
  'a background process runs inside, outlives the program, reads without a question, and ends as a whole',
  here,
  async () => {
    await using bench = await openToolBench({ sandbox: sandboxed });
    const command = 'read -r name; echo "hello $name"; echo x > /etc/x; setsid sleep 1000 & sleep 1000';

    const started = await bench.run('terminal', { command, background: true });
    const id = /proc_\w+/.exec(started)?.[0] ?? '';
    const groups = new BackgroundProcesses(bench.taskFolder).openGroups(bench.place.sessionId);
    const write = await bench.prepare('process', { action: 'write', id, text: 'Ann\n' });
    const disaster = await bench.assess('process', { action: 'write', id, text: 'rm -rf /\n' });
    await write.run();
    bench.restart();
    let read = '';
    while (!read.includes('Read-only')) read = await bench.run('process', { action: 'read', id });
    await bench.run('process', { action: 'kill', id });

    assert.match(started, /It runs in the sandbox, where nothing else reaches its ports/);
    assert.equal(groups.length, 1);
    assert.deepEqual(write.risk, { type: 'safe', within: 'sandbox' });
    assert.equal(disaster.type, 'forbidden');
    assert.match(read, /^hello Ann\n/);
    await whenNothingRuns(bench);
  },
);

test('a pty inside is of the sandbox alone', here, async () => {
  await using bench = await openToolBench({ sandbox: sandboxed });
  const command = 'tty; stty size; ls /dev/pts; read -r name; echo "hello $name"; exit 4';

  const id = /proc_\w+/.exec(await bench.run('terminal', { command, background: true, pty: true }))?.[0] ?? '';
  while (!/ptmx/.test(await bench.run('process', { action: 'read', id }))) await nextTick();
  await bench.run('process', { action: 'write', id, text: 'Ann\n' });
  const text = await bench.run('process', { action: 'wait', id });

  assert.match(text, /^\/dev\/pts\/0\n40 120\n0 +ptmx\n/);
  assert.match(text, /hello Ann\n\[proc_\w+ has ended with exit code 4;/);
});

test(
  'the shell that waits for the next command goes with the program, and the group of tasks with it',
  bounded,
  async () => {
    const bench = await openToolBench({ sandbox: sandboxed });
    const tasks = new TaskGroup(bench.taskFolder).open();

    const printed = await bench.run('terminal', { command: 'echo done; :' });
    if (tasks !== undefined) await whenJoined(tasks);
    await bench[Symbol.asyncDispose]();

    assert.equal(printed, 'done');
    assert.equal(tasks !== undefined && existsSync(tasks), false);
  },
);

/** Resolves once there is someone in a group of tasks. */
async function whenJoined(tasks: string): Promise<void> {
  while ((await readFile(tasks, 'utf8')) === '') await nextTick();
}

/** The super-user is bound by nothing but a control group. */
async function boundsTasks(): Promise<{ readonly skip: string | false }> {
  if (here.skip !== false || process.getuid?.() !== 0) return here;
  const group = new TaskGroup('a probe');
  const isBound = group.open() !== undefined;
  await group.close();
  return { skip: isBound ? false : 'control groups cannot be written here, and we are root' };
}

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { outcomeToText } from '../../src/model/message.ts';
import { CallTickets } from '../../src/tools/shell/call-tickets.ts';
import { describeProcess } from '../../src/tools/shell/process-group.ts';
import { isRunning, whenCollected, whenGone } from '../support/processes.ts';
import { openToolBench } from './open-toolbox.ts';
import type { ToolBench } from './open-toolbox.ts';

const onLinux = { skip: process.platform === 'linux' ? false : 'only Linux shows the environment of a process' };
const waitForGo = 'while [ ! -e go ]; do sleep 0.01; done';
const call = { idempotencyKey: 'the-call' };

/** Runs a command up to its first line of output, and then ends the program in good order, as far as the tool can tell. */
async function leaveRunning(bench: ToolBench, command: string, timeout = 60): Promise<string> {
  const shutdown = new AbortController();
  const begun = Promise.withResolvers<string>();
  const context = { ...call, signal: shutdown.signal, progress: begun.resolve };
  const running = bench.outcome('terminal', { command, timeout }, context);
  const line = await begun.promise;
  shutdown.abort({ type: 'shutdown' });
  assert.deepEqual(await running, { type: 'interrupted' });
  bench.restart();
  return line;
}

async function recoverText(bench: ToolBench, command: string, timeout = 60): Promise<string | undefined> {
  const outcome = await bench.recover('terminal', { command, timeout }, call);
  return outcome && outcomeToText(outcome);
}

test('a later start finds the output, the exit code and the state of a command that had ended', async () => {
  await using bench = await openToolBench();
  const command = 'echo ran >> ledger; echo out; cd /usr; exit 3';
  const text = await bench.run('terminal', { command }, call);

  bench.restart();

  assert.equal(text, 'out\n[exit code 3]');
  assert.equal(await recoverText(bench, command), text);
  assert.equal(await readFile(join(bench.workdir, 'ledger'), 'utf8'), 'ran\n');
  assert.equal(await bench.run('terminal', { command: 'pwd' }), '/usr');
});

test('a later start waits for a command that still runs, and takes up the state that it leaves', async () => {
  await using bench = await openToolBench();
  const command = `echo begun; ${waitForGo}; echo ended; export A=1; cd /usr; exit 0`;
  await leaveRunning(bench, command);

  const recovered = recoverText(bench, command);
  await writeFile(join(bench.workdir, 'go'), '');

  assert.equal(await recovered, 'begun\nended');
  assert.equal(await bench.run('terminal', { command: 'echo $A; pwd' }), '1\n/usr');
});

test('a command that a later start waits for can be stopped, and has no more time than it was given', async () => {
  await using bench = await openToolBench();
  const stop = new AbortController();
  const pid = Number(await leaveRunning(bench, 'echo $$; sleep 1000'));

  const recovered = bench.recover('terminal', { command: 'sleep 1000' }, { ...call, signal: stop.signal });
  await nextTick();
  stop.abort();

  assert.deepEqual(await recovered, {
    type: 'done',
    parts: [{ type: 'text', text: `${pid}\n[stopped by the user, exit code 130]` }],
    ended: 'stopped',
  });
  await whenGone(pid);
});

test('a command that a later start ends together with its turn was not stopped by the user', async () => {
  await using bench = await openToolBench();
  const pid = Number(await leaveRunning(bench, 'echo $$; sleep 1000'));
  const signal = AbortSignal.abort({ type: 'put-aside', reason: 'the program ended twice' });

  const outcome = await bench.recover('terminal', { command: 'sleep 1000' }, { ...call, signal });

  assert.deepEqual(outcome, {
    type: 'done',
    parts: [{ type: 'text', text: `${pid}\n[stopped by the program when it put the turn aside, exit code 130]` }],
    ended: 'put-aside',
  });
  await whenGone(pid);
});

test('a call that was begun does not run a second time', async () => {
  await using bench = await openToolBench();
  const command = 'echo ran >> ledger';

  await bench.run('terminal', { command }, call);
  const again = await bench.run('terminal', { command }, call);

  assert.match(again, /^ERROR: .*does not run a second time$/);
  assert.equal(await readFile(join(bench.workdir, 'ledger'), 'utf8'), 'ran\n');
});

test('what was handed to a runner that never began it is known not to have run, and cannot run any more', async () => {
  await using bench = await openToolBench();
  const { sessionId } = bench.place;
  const ticket = new CallTickets(bench.taskFolder).hold(sessionId, call.idempotencyKey);
  const slot = join(bench.taskFolder, 'slot');
  await mkdir(slot);
  const session = { name: 'TALARIA_SESSION', value: sessionId };
  const runner = describeProcess(process.pid);
  // No system has a process of this number.
  const request = { script: '', command: 'touch ran', session, runner, group: 2 ** 30, endsAtMs: 0 };
  assert.equal(ticket.create(slot, request), true);

  assert.match((await recoverText(bench, 'touch ran')) ?? '', /^ERROR: .*it has not run$/);
  assert.equal(ticket.claimedAtMs() === undefined, false);
  assert.equal(await bench.recover('terminal', { command: 'touch ran' }, { idempotencyKey: 'another' }), undefined);
});

test('of a command whose runner was killed nobody claims to know how it ended, and the next one has a new runner', async () => {
  await using bench = await openToolBench();
  const begun = Promise.withResolvers<string>();
  const command = 'echo ran >> ledger; echo $$ $PPID; sleep 1000';

  const running = bench.outcome('terminal', { command }, { ...call, progress: begun.resolve });
  const [shell = 0, runner = 0] = (await begun.promise).split(' ').map(Number);
  process.kill(runner, 'SIGKILL');
  const outcome = await running;

  assert.equal(outcome.type, 'unknown');
  assert.match(outcomeToText(outcome), new RegExp(`${shell} ${runner}`));
  await whenGone(shell);
  assert.equal(await bench.run('terminal', { command: 'cat ledger' }), 'ran');
});

test('a runner that was killed while it had nothing to do is replaced, and the command runs once', async () => {
  await using bench = await openToolBench();
  const runner = Number(await bench.run('terminal', { command: 'echo $PPID' }));

  process.kill(runner, 'SIGKILL');
  await whenCollected(runner);
  const text = await bench.run('terminal', { command: 'echo ran >> ledger; cat ledger' });

  assert.equal(text, 'ran');
});

test('without the programs that a runner needs, a command is not run, and the reason is told', async () => {
  await using bench = await openToolBench({ environment: { PATH: '/nowhere' } });

  const outcome = await bench.outcome('terminal', { command: 'echo hi' });

  assert.equal(outcome.type, 'failed');
  assert.match(outcomeToText(outcome), /could not be started/);
});

test('one runner takes one command after the other', async () => {
  await using bench = await openToolBench();

  const first = await bench.run('terminal', { command: 'echo $PPID' });
  const second = await bench.run('terminal', { command: 'echo $PPID' });

  assert.equal(second, first);
});

test('the environment of a runner holds none of our keys', onLinux, async () => {
  await using bench = await openToolBench({ environment: { OPENAI_API_KEY: 'sk-1', OTHER: 'other' } });

  const text = await bench.run('terminal', { command: `tr '\\0' '\\n' < /proc/$PPID/environ | cut -d= -f1 | sort` });

  assert.deepEqual(text.split('\n'), ['HOME', 'LANG', 'PATH']);
});

test('of an output without end little is on the disk at any time', async () => {
  await using bench = await openToolBench();
  const folder = join(bench.taskFolder, bench.place.sessionId, 'calls', call.idempotencyKey);
  let most = 0;

  const over = new AbortController();
  const running = bench.run('terminal', { command: 'yes | head -c 600000000' }, call).finally(() => over.abort());
  while (!over.signal.aborted) {
    const names = await readdir(folder).catch(() => []);
    const sizes = await Promise.all(
      names.map((name) =>
        stat(join(folder, name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
    );
    most = Math.max(
      most,
      sizes.reduce((sum, size) => sum + size, 0),
    );
  }
  const text = await running;

  assert.match(text, /\[… 599,950,000 of 600,000,000 characters left out …\]/);
  assert.ok(most > 0 && most < 200_000_000, `${most} bytes`);
});

/** Runs a command in a program of its own, up to its first line of output. */
async function startProgram(bench: ToolBench, command: string, timeout = 60): Promise<Program> {
  const child = fileURLToPath(new URL('../support/shell-child.ts', import.meta.url));
  const args = [child, bench.home, bench.workdir, bench.place.sessionId, command, String(timeout)];
  const program = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(program, 'exit');
  const [line] = (await once(program.stdout, 'data')) as [Buffer];
  return { numbers: line.toString().split(' ').map(Number), ended, kill: () => program.kill('SIGKILL') };
}

interface Program {
  /** What the first line says. */
  readonly numbers: readonly number[];
  readonly ended: Promise<unknown>;
  kill(): void;
}

test('when the program is killed, a command is ended when its time is over, and its runner ends too', async () => {
  await using bench = await openToolBench();
  const program = await startProgram(bench, 'echo $$ $PPID; sleep 1000', 1);
  const [shell = 0, runner = 0] = program.numbers;

  program.kill();
  await program.ended;

  assert.equal(await isRunning(shell), true);
  await whenGone(shell);
  await whenGone(runner);
});

test('when the program is killed, what a command puts out afterwards is kept, and the middle of much is dropped', async () => {
  await using bench = await openToolBench();
  const command = `echo 1; ${waitForGo}; yes | head -c 199999998; printf '\\0\\0'; exit 3`;
  const program = await startProgram(bench, command);

  program.kill();
  await program.ended;
  await writeFile(join(bench.workdir, 'go'), '');
  const text = await recoverText(bench, command);

  const [head = '', tail = ''] = text?.split('\n[… 199,950,002 of 200,000,002 characters left out …]\n') ?? [];
  assert.equal(head, `1\n${'y\n'.repeat(9999)}`);
  // Two of the characters are not shown, nor is the newline at the very end.
  assert.equal(tail, `${'y\n'.repeat(14_999)}[exit code 3]`);
});

test('a process left in the background writes on when the program ends', async () => {
  await using bench = await openToolBench();
  const ticks = join(bench.workdir, 'ticks');
  const program = await startProgram(bench, "sh -c 'while echo tick; do echo tick >> ticks; done' & echo $! > pid");

  await program.ended;
  const pid = Number(await readFile(join(bench.workdir, 'pid'), 'utf8'));

  // More than a pipe holds, and well beyond what was written while the program ended.
  const { size } = await stat(ticks);
  while ((await isRunning(pid)) && (await stat(ticks)).size < size + 200_000) await nextTick();
  assert.equal(await isRunning(pid), true);
  await bench.toolbox.endTask(bench.place.sessionId);
  await whenGone(pid);
});

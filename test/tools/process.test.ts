import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { newId } from '../../src/base/ids.ts';
import { outcomeToText } from '../../src/model/message.ts';
import type { Json } from '../../src/base/json.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { isRunning, whenGone } from '../support/processes.ts';
import { openToolBench } from './open-toolbox.ts';
import type { ToolBench } from './open-toolbox.ts';

const onLinux = { skip: process.platform === 'linux' ? false : 'only Linux shows the environment of a process' };
const waitForGo = 'while [ ! -e go ]; do sleep 0.01; done';

/** Starts a process and returns its id. */
async function start(bench: ToolBench, command: string, more: Readonly<Record<string, Json>> = {}): Promise<string> {
  const text = await bench.run('terminal', { command, background: true, ...more });
  const id = /^Started (proc_[0-9a-f]{8})\./.exec(text)?.[1];
  assert.ok(id !== undefined, text);
  return id;
}

/** Reads the whole output again and again until it fits. */
async function readUntil(bench: ToolBench, id: string, fits: RegExp): Promise<string> {
  for (;;) {
    const text = await bench.run('process', { action: 'read', id });
    if (fits.test(text)) return text;
    await nextTick();
  }
}

test('a background process is started at once, listed, read while it runs, and waited for', async () => {
  await using bench = await openToolBench();
  const id = await start(bench, `echo begun; ${waitForGo}; echo ended; exit 3`);

  const early = await readUntil(bench, id, /begun/);
  const listed = await bench.run('process', { action: 'list' });
  const waiting = bench.run('process', { action: 'wait', id });
  await writeFile(join(bench.workdir, 'go'), '');

  assert.equal(early, `begun\n[${id} is running; the output ends at byte 6]`);
  assert.match(listed, new RegExp(`^${id} is running; started \\d+ s ago: echo begun; while`));
  assert.equal(await waiting, `begun\nended\n[${id} has ended with exit code 3; the output ends at byte 12]`);
  assert.match(await bench.run('process', { action: 'list' }), /has ended with exit code 3/);
});

test('it begins where the shell stands, with what the shell exported, and leaves the shell as it is', async () => {
  await using bench = await openToolBench();
  await bench.run('terminal', { command: 'mkdir inner; cd inner; export NAME=value' });

  const id = await start(bench, 'pwd; echo $NAME; cd /; export NAME=other');
  const text = await bench.run('process', { action: 'wait', id });

  assert.equal(text.split('\n').slice(0, 2).join(' '), `${bench.workdir}/inner value`);
  assert.equal(await bench.run('terminal', { command: 'pwd; echo $NAME' }), `${bench.workdir}/inner\nvalue`);
});

test('what is written reaches the process, and closing its input ends the input', async () => {
  await using bench = await openToolBench();
  const id = await start(bench, 'while read -r line; do echo "got $line"; done; echo over');

  const written = await bench.run('process', { action: 'write', id, text: 'one\ntwo\n' });
  const heard = await readUntil(bench, id, /got two/);
  const closed = await bench.run('process', { action: 'close', id });
  const ended = await bench.run('process', { action: 'wait', id });

  assert.equal(written, `Written to ${id}.`);
  assert.match(heard, /^got one\ngot two\n/);
  assert.equal(closed, `The stdin of ${id} is closed.`);
  assert.match(ended, /over\n\[proc_\w+ has ended with exit code 0;/);
  const late = await bench.run('process', { action: 'write', id, text: 'x' });
  assert.match(late, /^ERROR: .*reads nothing any more: it has ended with exit code 0$/);
});

test('a process that does not read takes what its pipe holds, and how much that was is told', async () => {
  await using bench = await openToolBench();
  const id = await start(bench, 'sleep 1000');
  const text = 'x'.repeat(60_000);

  const first = await bench.run('process', { action: 'write', id, text });
  const second = await bench.run('process', { action: 'write', id, text });

  assert.equal(first, `Written to ${id}.`);
  assert.match(second, /^ERROR: .*does not read: only the first \d+ bytes were written$/);
});

test('a process in a pty has a terminal of a known size, and reads what is typed', async () => {
  await using bench = await openToolBench();
  const id = await start(bench, 'test -t 0 && test -t 1 && stty size; read -r name; echo "hello $name"; exit 4', {
    pty: true,
  });

  await readUntil(bench, id, /40 120/);
  await bench.run('process', { action: 'write', id, text: 'Ann\n' });

  assert.match(await bench.run('process', { action: 'wait', id }), /hello Ann\n\[proc_\w+ has ended with exit code 4;/);
});

test('of a line that was written over only the last state is read', async () => {
  await using bench = await openToolBench();
  const id = await start(bench, String.raw`printf '10%%\r50%%\r\033[32m100%%\033[0m\ndone\n'`);

  assert.match(await bench.run('process', { action: 'wait', id }), /^100%\ndone\n\[/);
});

test('a wait ends when its time is over, and the process runs on', async () => {
  const clock = new ManualClock();
  await using bench = await openToolBench({ clock });
  const id = await start(bench, 'echo $$; sleep 1000');
  const pid = Number.parseInt(await readUntil(bench, id, /^\d+\n/), 10);

  const waiting = bench.run('process', { action: 'wait', id, timeout: 600 });
  await clock.whenSomeoneSleeps();
  clock.advance(600_000);

  assert.match(await waiting, /is running; .*\n\[the time to wait is over; it runs on\]$/);
  assert.equal(await isRunning(pid), true);
});

test('a stop ends the waiting and not the process', async () => {
  await using bench = await openToolBench();
  const id = await start(bench, 'sleep 1000');
  const stop = new AbortController();

  const waiting = bench.outcome('process', { action: 'wait', id }, { signal: stop.signal });
  await nextTick();
  stop.abort({ type: 'stop', by: 'ann' });

  assert.deepEqual(await waiting, { type: 'interrupted' });
  assert.match(await bench.run('process', { action: 'list' }), /is running/);
});

test('kill ends the whole group, also one that does not listen to SIGTERM', async () => {
  await using bench = await openToolBench();
  const id = await start(bench, "trap '' TERM; (trap '' TERM; echo $BASHPID; exec env -i sleep 1000) & echo $$; wait");
  const pids = (await readUntil(bench, id, /^\d+\n\d+\n/)).split('\n').slice(0, 2).map(Number);

  const killed = await bench.run('process', { action: 'kill', id });

  assert.equal(killed, `${id} is killed: it has ended with exit code 137.`);
  await Promise.all(pids.map(whenGone));
  assert.match(await bench.run('process', { action: 'kill', id }), /has ended with exit code 137 before/);
});

test('kill ends what left the group of the process, in a pty too', onLinux, async () => {
  await using bench = await openToolBench();
  const id = await start(bench, 'setsid sleep 1000 & echo $!; wait', { pty: true });
  const pid = Number.parseInt(await readUntil(bench, id, /^\d+\n/), 10);

  await bench.run('process', { action: 'kill', id });

  await whenGone(pid);
});

test('the end is told also where something that the process left behind holds its output', async () => {
  await using bench = await openToolBench();
  const id = await start(bench, 'sleep 1000 & echo $!; exit 7');

  const text = await bench.run('process', { action: 'wait', id });

  assert.match(text, /has ended with exit code 7/);
  assert.equal(await isRunning(Number.parseInt(text, 10)), true);
});

test('no process is started twice by the same call, and a later start of the program knows that it was started', async () => {
  await using bench = await openToolBench();
  const call = { idempotencyKey: 'the-call' };
  const input = { command: 'echo ran >> ledger', background: true };
  const first = await bench.run('terminal', input, call);

  bench.restart();
  const recovered = await bench.recover('terminal', input, call);
  const again = await bench.run('terminal', input, call);

  assert.equal(recovered && outcomeToText(recovered), first);
  assert.match(again, /^ERROR: .*does not run a second time$/);
  await bench.run('process', { action: 'wait', id: first.split(/[ .]/)[1] ?? '' });
  assert.equal(await readFile(join(bench.workdir, 'ledger'), 'utf8'), 'ran\n');
});

test('a session sees its own processes only', async () => {
  await using bench = await openToolBench();
  const id = await start(bench, 'sleep 1000');
  const other = { sessionId: newId('session', Date.now()) };

  const listed = await bench.run('process', { action: 'list' }, other);
  const killed = await bench.run('process', { action: 'kill', id }, other);

  assert.equal(listed, 'There are no background processes in this conversation.');
  assert.match(killed, /^ERROR: there is no process/);
  assert.match(await bench.run('process', { action: 'list' }), /is running/);
});

test('twenty run at once and no more', async () => {
  await using bench = await openToolBench();
  for (let count = 0; count < 20; count += 1) await start(bench, 'sleep 1000');

  const refused = await bench.run('terminal', { command: 'sleep 1000', background: true });

  assert.match(refused, /^ERROR: 20 background processes are running/);
});

test('neither a process nor what looks after it has one of our keys', onLinux, async () => {
  await using bench = await openToolBench({ environment: { OPENAI_API_KEY: 'sk-1', OTHER: 'other' } });

  const id = await start(bench, `cat /proc/$PPID/environ | tr '\\0' '\\n'; env`);
  const text = await bench.run('process', { action: 'wait', id });

  const names = text.split('\n').flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []);
  const usual = ['HOME', 'LANG', 'PATH', 'PWD', 'SHLVL', 'TALARIA_PROCESS', 'TALARIA_SESSION', '_'];
  assert.deepEqual([...new Set(names)].toSorted(), usual);
});

test('what a process can fork is bounded', onLinux, async () => {
  await using bench = await openToolBench();

  const id = await start(bench, 'ulimit -S -u');
  const limit = Number.parseInt(await bench.run('process', { action: 'wait', id }), 10);

  const tasks = Number(/\/(\d+)/.exec(await readFile('/proc/loadavg', 'utf8'))?.[1]);
  assert.ok(limit > 4096 && limit < 2 * tasks + 4096, String(limit));
});

test('where the program for a pty is missing, nothing runs, and what is missing is told', async () => {
  await using bench = await openToolBench();
  const path = join(bench.workdir, 'bin');
  await bench.run('terminal', {
    command: `mkdir bin; for p in bash mkfifo dd wc tail cat rm mv sleep touch; do ln -s "$(command -v $p)" bin; done`,
  });
  await using bare = await openToolBench({ environment: { PATH: path } });

  const pty = await bare.run('terminal', { command: 'touch ran', background: true, pty: true });
  const plain = await start(bare, 'echo fine');

  assert.match(pty, /^ERROR: .*a pty needs the program script/);
  assert.match(await bare.run('process', { action: 'wait', id: plain }), /^fine\n/);
  assert.match(await bare.run('process', { action: 'list' }), /^[^\n]*echo fine$/);
});

test('without a shell no process is started, and nothing is left of it', async () => {
  await using bench = await openToolBench({ environment: { PATH: '/nowhere' } });

  const outcome = await bench.outcome('terminal', { command: 'echo hi', background: true });

  assert.equal(outcome.type, 'failed');
  assert.match(outcomeToText(outcome), /the process could not be started: .*ENOENT/);
  assert.match(await bench.run('process', { action: 'list' }), /^There are no background processes/);
});

test('arguments that do not fit are told apart and change nothing', async () => {
  await using bench = await openToolBench();
  const id = await start(bench, 'sleep 1000');
  const wrong: readonly (readonly [string, Readonly<Record<string, Json>>, RegExp])[] = [
    ['process', { action: 'read' }, /needs the id/],
    ['process', { action: 'read', id: 'proc_00000000' }, /there is no process/],
    ['process', { action: 'read', id: '../..' }, /there is no process/],
    ['process', { action: 'read', id, lines: 0 }, /lines is from 1/],
    ['process', { action: 'read', id, offset: -1 }, /offset counts from 0/],
    ['process', { action: 'write', id }, /needs a text/],
    ['process', { action: 'wait', id, timeout: 601 }, /timeout is from 1 to 600/],
    ['terminal', { command: 'true', pty: true }, /set background/],
    ['terminal', { command: 'true', background: true, timeout: 5 }, /has no timeout/],
  ];

  for (const [tool, input, reason] of wrong) assert.match(await bench.run(tool, input), reason);

  assert.match(await bench.run('process', { action: 'list' }), /is running/);
});

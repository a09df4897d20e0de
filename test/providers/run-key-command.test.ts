import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import type { Clock } from '../../src/base/clock.ts';
import { runKeyCommand } from '../../src/providers/run-key-command.ts';
import { PrintedKeys } from '../../src/providers/printed-keys.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const never = new AbortController().signal;

function run(command: string, env: Readonly<Record<string, string>> = {}, clock: Clock = systemClock): Promise<string> {
  return runKeyCommand(command, { environment: { PATH: process.env['PATH'], ...env }, clock }, never);
}

test('a key is what its command prints, without the line’s end', async () => {
  assert.equal(await run('printf "%s" sk | cat; echo -abc'), 'sk-abc');
});

const refusals: readonly (readonly [string, RegExp])[] = [
  ['true', /^key_command printed nothing$/],
  [
    'echo not signed in >&2; echo half-a-key; exit 3',
    /^key_command ended with exit code 3; run it yourself to see why$/,
  ],
  ['echo Welcome back; echo key', /^key_command printed something else than a key/],
  ['yes', /^key_command printed far more than a key$/],
];

for (const [command, expected] of refusals) {
  test(`${command} prints no key, and its words are in no message`, async () => {
    await assert.rejects(run(command), (thrown: Error) => {
      assert.match(thrown.message, expected);
      assert.doesNotMatch(thrown.message, /half|Welcome|signed/);
      return true;
    });
  });
}

test('a command sees the user’s places and none of our keys', async () => {
  const env = { HOME: '/', XDG_RUNTIME_DIR: '/run/me', OPENAI_API_KEY: 'secret', OP_TOKEN: 'secret' };

  const seen = await run('env | sort | tr "\\n" ","', env);

  assert.match(seen, /,XDG_RUNTIME_DIR=\/run\/me,/);
  assert.doesNotMatch(seen, /secret/);
});

test('a command that does not end is ended after a minute, with all that it started', async () => {
  await using folder = await makeTempFolder();
  const clock = new ManualClock();
  const pidFile = join(folder.path, 'pid');

  const running = run(`sleep 600 & echo $! > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; wait`, {}, clock);
  const failed = assert.rejects(running, /^Error: key_command did not end within 60 s$/);
  await clock.whenSomeoneSleeps();
  const pid = await readWhenThere(pidFile);
  clock.advance(60_000);
  await failed;

  await whenGone(Number(pid));
});

test('whoever asks while a command runs waits for the same run, and one who leaves does not end it', async () => {
  const gate = Promise.withResolvers<string>();
  let runs = 0;
  const key = new PrintedKeys(() => {
    runs += 1;
    return gate.promise;
  }).of('print');
  const leaving = new AbortController();

  const first = key.obtain(leaving.signal);
  const second = key.obtain(never);
  leaving.abort(new Error('left'));
  await assert.rejects(first, /left/);
  gate.resolve('sk-1');

  assert.equal(await second, 'sk-1');
  assert.equal(await key.obtain(never), 'sk-1');
  assert.equal(runs, 1);
});

test('a command that nobody waits for any more is ended, and the next who asks has it run anew', async () => {
  await using folder = await makeTempFolder();
  const flag = join(folder.path, 'flag');
  const signals: AbortSignal[] = [];
  const keys = new PrintedKeys((command, signal) => {
    signals.push(signal);
    return runKeyCommand(command, { environment: process.env, clock: systemClock }, signal);
  });
  const key = keys.of(`test -e ${flag} && echo sk-late || sleep 600`);
  const leaving = new AbortController();

  const first = key.obtain(leaving.signal);
  leaving.abort(new Error('left'));
  await assert.rejects(first, /left/);
  await writeFile(flag, '');

  assert.equal(await key.obtain(never), 'sk-late');
  assert.equal(signals[0]?.aborted, true);
  assert.deepEqual(keys.values(), ['sk-late']);
});

async function readWhenThere(path: string): Promise<string> {
  for (;;) {
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text !== undefined) return text;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function whenGone(pid: number): Promise<void> {
  for (;;) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
    if (stat === undefined || stat.includes(') Z ')) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { callsTool, says, stallsAfter } from '../../support/model-script.ts';
import { openDesk } from '../support/program.ts';
import type { Desk } from '../support/program.ts';

/** A command that waits until the test lets it go on; opening the pipe for writing waits until the command reads from it. */
async function makeGate(desk: Desk): Promise<{ readonly command: string; whenRunning(): Promise<FileHandle> }> {
  const path = join(desk.workdir, 'gate');
  execFileSync('mkfifo', [path]);
  return { command: 'cat gate', whenRunning: () => open(path, 'w') };
}

test('SIGINT stops the turn, gives its call an outcome, and ends with 130', async () => {
  await using desk = await openDesk([callsTool('terminal', { command: 'cat gate' })]);
  const gate = await makeGate(desk);
  const run = desk.start(['run', 'wait']);
  await using _pipe = await gate.whenRunning();

  run.child.kill('SIGINT');
  const { stdout, stderr, code } = await run.ended;
  const shown = await desk.run(['sessions', 'show', 'ses_']);

  assert.equal(code, 130);
  assert.equal(stdout, '');
  assert.match(stderr, /✗ stopped\nStopped\.\n$/);
  assert.match(shown.stdout, /✗ stopped\nstopped\n$/);
});

test('SIGINT stops an answer on its way, and what was said of it is kept', async () => {
  await using desk = await openDesk([stallsAfter(600, says('One two three four five six seven eight nine ten.'))]);
  const run = desk.start(['run', 'count']);
  await desk.server.whenStalled();

  run.child.kill('SIGINT');

  assert.equal((await run.ended).code, 130);
  assert.match((await desk.run(['sessions', 'show', 'ses_'])).stdout, /› count\nOne[\s\S]*\nstopped\n$/);
});

for (const [signal, expected] of [
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  test(`${signal} leaves the turn unfinished, ends with ${expected}, and the command that it names goes on with what came of it`, async () => {
    await using desk = await openDesk([callsTool('terminal', { command: 'cat gate' }), says('I do not know.')]);
    const gate = await makeGate(desk);
    const run = desk.start(['run', 'wait']);
    const pipe = await gate.whenRunning();

    run.child.kill(signal);
    const ended = await run.ended;
    await pipe.write('late\n');
    await pipe.close();
    const [, id = ''] = /The turn is unfinished\. It goes on with: talaria -r (\w+)\n/.exec(ended.stderr) ?? [];
    const { stdout, stderr, code } = await desk.run(['-r', id]);

    assert.equal(ended.code, expected);
    assert.equal(code, 0);
    assert.equal(stdout, 'I do not know.\n');
    assert.match(stderr, /^› wait\n• terminal {2}cat gate\n/);
    assert.match(stderr, /\n {2}✓ late\n$/);
    assert.equal(stderr.match(/• terminal/g)?.length, 1);
    assert.equal(desk.server.requests.length, 2);
  });
}

test('after kill -9 in the middle of a command -c shows the turn, says what was running, and goes on with what it came to', async () => {
  await using desk = await openDesk([callsTool('terminal', { command: 'cat gate' }), says('I do not know.')]);
  const gate = await makeGate(desk);
  const run = desk.start(['run', 'wait']);
  const pipe = await gate.whenRunning();

  run.child.kill('SIGKILL');
  await run.ended;
  await pipe.write('late\n');
  await pipe.close();
  const { stdout, stderr, code } = await desk.run(['-c']);

  assert.equal(code, 0);
  assert.equal(stdout, 'I do not know.\n');
  assert.match(
    stderr,
    /^› wait\n• terminal {2}cat gate\nthe program ended while this ran: terminal `cat gate`;.*\ngoing on.*\n {2}✓ late\n$/,
  );
});

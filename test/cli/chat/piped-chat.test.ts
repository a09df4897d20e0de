import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { failsWith, says } from '../../support/model-script.ts';
import { openDesk } from '../support/program.ts';
import type { Desk } from '../support/program.ts';

/** Says something at this desk and dies at a fault point. */
async function sayAndDie(desk: Desk, faultPoint: string, message: string): Promise<void> {
  const program = join(import.meta.dirname, '..', '..', 'support', 'house-child.ts');
  const child = spawn(process.execPath, [program, desk.home, desk.workdir, faultPoint, '0', message], {
    stdio: 'ignore',
  });
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  assert.equal(signal, 'SIGKILL');
}

test('each line of stdin is one message, and each is answered before the next is read', async () => {
  await using desk = await openDesk([says('First.'), says('Second.')]);

  const outcome = await desk.run([], { input: 'hello\n\nwhat time is it' });

  assert.deepEqual(outcome, { stdout: 'First.\nSecond.\n', stderr: '', code: 0 });
  const bodies = desk.server.requests.map((request) => request.json?.['messages'] as readonly { content: string }[]);
  assert.deepEqual(
    bodies.map((messages) => messages.slice(1).map(({ content }) => content)),
    [['hello'], ['hello', 'First.', 'what time is it']],
  );
});

test('a line that fails does not end the chat', async () => {
  await using desk = await openDesk([failsWith(401), says('Second.')]);

  const { stdout, stderr, code } = await desk.run(['chat'], { input: 'one\ntwo\n' });

  assert.equal(stdout, 'Second.\n');
  assert.match(stderr, /401/);
  assert.equal(code, 0);
});

test('slash commands are answered on stdout, and /exit ends the chat', async () => {
  await using desk = await openDesk();

  const { stdout, code } = await desk.run([], { input: '/title Holidays\n/exit\nhello\n' });

  assert.equal(stdout, 'This session is now called “Holidays”.\n');
  assert.equal(code, 0);
  assert.equal(desk.server.requests.length, 0);
});

test('/exit with words behind it does not leave, and says so', async () => {
  await using desk = await openDesk();

  const { stdout, stderr } = await desk.run([], { input: '/exit now\n/title Holidays\n' });

  assert.match(stderr, /Nothing was done: \/exit takes no words behind it\. \/exit or Ctrl-D leaves/);
  assert.equal(stdout, 'This session is now called “Holidays”.\n');
});

test('an empty stdin is answered with what to do instead', async () => {
  await using desk = await openDesk();

  const { stdout, stderr, code } = await desk.run([]);

  assert.equal(stdout, '');
  assert.match(stderr, /talaria run/);
  assert.equal(code, 0);
});

for (const faultPoint of ['step-finished', 'turn-settled', 'reply-sending', 'reply-sent']) {
  test(`a reply that a crash at ${faultPoint} kept from being delivered is shown exactly once by -c`, async () => {
    await using desk = await openDesk([says('Here it is.'), says('Here it is.')]);
    await sayAndDie(desk, faultPoint, 'where is it?');

    const { stdout, stderr, code } = await desk.run(['-c']);
    const again = await desk.run(['-c'], { input: 'and again?\n' });

    assert.equal(code, 0);
    assert.equal(`${stdout}${stderr}`, '› where is it?\nHere it is.\n');
    assert.deepEqual(again, { stdout: 'Here it is.\n', stderr: '› where is it?\nHere it is.\n', code: 0 });
  });
}

test('another session that is unfinished is mentioned with how to go on', async () => {
  await using desk = await openDesk([says('Fine.'), says('Hello.')]);
  await sayAndDie(desk, 'admitted', 'do something long');

  const { stderr } = await desk.run([], { input: 'hello\n' });
  const id = /talaria -r (ses_\w+)/.exec(stderr)?.[1] ?? '';
  const resumed = await desk.run(['-r', id]);

  assert.match(stderr, /^another session is unfinished; to go on with it: talaria -r ses_/);
  assert.match(resumed.stderr, /^› do something long\n/);
  assert.equal(resumed.stdout, 'Hello.\n');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callsTool, says } from '../../support/model-script.ts';
import { whenGone } from '../../support/processes.ts';
import { anna } from '../../support/telegram-server.ts';
import { openGatewayDesk } from '../gateway/gateway-desk.ts';
import { openDesk } from '../support/program.ts';
import type { Desk } from '../support/program.ts';
import { noTerminal, openTerminal } from '../support/tmux-terminal.ts';

const startsServer = callsTool('terminal', { command: 'echo $$; echo ready; sleep 60', background: true });

interface Listed {
  readonly processes: readonly { readonly id: string; readonly state: string; readonly session: string }[];
}

async function listed(desk: Desk): Promise<Listed['processes']> {
  return (JSON.parse((await desk.run(['processes', '--json'])).stdout) as Listed).processes;
}

/** What a process has said, once it is all there. */
async function outputOf(desk: Desk, id: string): Promise<string> {
  for (;;) {
    const { stdout } = await desk.run(['processes', 'show', id]);
    if (stdout.includes('ready')) return stdout;
  }
}

test('a background process is listed, shown and stopped from a shell where no gateway runs', async () => {
  await using desk = await openDesk([startsServer, says('Started.')]);
  const none = await desk.run(['processes']);
  const { stderr: leaving } = await desk.run(['run', '--yes', 'serve']);

  const [{ id, state } = { id: '', state: '' }] = await listed(desk);
  const list = await desk.run(['processes']);
  const output = await outputOf(desk, id.slice(5));
  const { stderr: facts } = await desk.run(['processes', 'show', '-n', '1', id]);
  const stopped = await desk.run(['processes', 'stop', id]);
  await whenGone(Number.parseInt(output, 10));
  const after = await desk.run(['processes', 'list']);
  const unknown = await desk.run(['processes', 'stop', 'proc_0000']);

  assert.deepEqual([none.stderr, none.code], ['There are no background processes.\n', 0]);
  assert.equal(state, 'running');
  assert.match(leaving, new RegExp(`1 background process goes on: ${id} \\(echo .*\\); see: talaria processes\\n$`));
  assert.match(list.stdout, new RegExp(`^${id}  running for \\d+ s  \\w{8}  echo .*; sleep 60\\n$`));
  assert.match(output, /^\d+\nready\n$/);
  assert.match(facts, new RegExp(`^${id}  running for \\d+ s\\necho .*\\nin ${desk.workdir}, for session ses_`));
  assert.deepEqual([stopped.code, stopped.stdout.startsWith(`${id} is stopped`)], [0, true]);
  assert.match(after.stdout, /^proc_\w+ {2}stopped after \d+ s/);
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /there is no background process proc_0000; see talaria processes --all/);
});

test('beside a running gateway it is the same, and the chat of the process is told who stopped it', async () => {
  await using bench = await openGatewayDesk([startsServer, says('Started.')], [anna.id]);
  await bench.start();
  bench.telegram.say('serve');
  await bench.telegram.whenShown(anna.id, (texts) => texts.length > 0);
  bench.telegram.say('/approve');
  await bench.telegram.whenShown(anna.id, (texts) => texts.includes('Started.'));

  const [{ id } = { id: '' }] = await listed(bench.desk);
  const output = await outputOf(bench.desk, id);
  const { code } = await bench.desk.run(['processes', 'stop', id]);
  await whenGone(Number.parseInt(output, 10));
  const isTold = (text: string): boolean => text.startsWith(`The background process ${id} was stopped by the user`);
  await bench.telegram.whenShown(anna.id, (texts) => texts.some(isTold));

  assert.equal(code, 0);
  assert.deepEqual(
    (await listed(bench.desk)).map(({ state }) => state),
    ['exited'],
  );
});

test('whoever leaves the chat is told what goes on in the background', { skip: noTerminal }, async () => {
  await using desk = await openDesk([startsServer, says('Started.')]);
  await using terminal = openTerminal(desk, []);
  await terminal.shows(/^›$/m);
  await terminal.enter('serve');
  await terminal.shows(/\[N\]o:$/);
  await terminal.enter('y');
  await terminal.shows(/Started\.\n›$/);

  await terminal.press('C-d');
  const screen = await terminal.shows(/ended with 0/);
  const [{ id } = { id: '' }] = await listed(desk);
  await desk.run(['processes', 'stop', id]);

  assert.match(
    screen.replaceAll('\n', ' '),
    new RegExp(`1 background process goes on: ${id} \\(echo .*; see: talaria processes`),
  );
});

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { newId } from '../../src/base/ids.ts';
import { outcomeToText } from '../../src/model/message.ts';
import type { TaskNews, Toolbox } from '../../src/model/tool.ts';
import { BackgroundProcesses } from '../../src/tools/processes/background-processes.ts';
import { ProcessEndings } from '../../src/tools/processes/process-endings.ts';
import { describeProcess } from '../../src/tools/shell/process-group.ts';
import type { ProcessTicket } from '../../src/tools/processes/process-ticket.ts';
import { isRunning, whenGone } from '../support/processes.ts';
import { openToolBench } from './open-toolbox.ts';
import type { ToolBench } from './open-toolbox.ts';

async function start(bench: ToolBench, command: string, sessionId = bench.place.sessionId): Promise<ProcessTicket> {
  const text = await bench.run('terminal', { command, background: true }, { sessionId });
  const ticket = new BackgroundProcesses(bench.taskFolder).find(sessionId, text.split(/[ .]/)[1] ?? '');
  assert.ok(ticket !== undefined, text);
  return ticket;
}

function pidOf(description: string | undefined): number {
  return Number.parseInt(description ?? '', 10);
}

async function whenOver(ticket: ProcessTicket): Promise<void> {
  while (ticket.state().type === 'running') await nextTick();
}

/** The first news that the toolbox tells. */
async function firstNews(toolbox: Toolbox): Promise<TaskNews> {
  const told = Promise.withResolvers<TaskNews>();
  using _listening = toolbox.onNews(told.resolve);
  // Looking for news keeps no program from ending; this test is to wait for it.
  const awake = setInterval(() => undefined, 1000);
  return await told.promise.finally(() => clearInterval(awake));
}

test('R4 a hard close ends all background processes of its session with what looks after them, and no other', async () => {
  await using bench = await openToolBench();
  const otherSession = newId('session', Date.now());
  const mine = [await start(bench, 'sleep 1000'), await start(bench, "trap '' TERM; sleep 1000")];
  const other = await start(bench, 'sleep 1000', otherSession);
  const pids = mine.flatMap((ticket) => [pidOf(ticket.supervisor()), pidOf(ticket.leader())]);

  await bench.toolbox.endTask(bench.place.sessionId);

  assert.deepEqual(await Promise.all(pids.map(isRunning)), [false, false, false, false]);
  assert.equal(existsSync(join(bench.taskFolder, bench.place.sessionId)), false);
  assert.equal(await bench.toolbox.hasLiveProcess(bench.place.sessionId), false);
  assert.equal(await bench.toolbox.hasLiveProcess(otherSession), true);
  assert.deepEqual(other.state(), { type: 'running' });
  await bench.toolbox.endTask(otherSession);
  await whenGone(pidOf(other.supervisor()));
  assert.deepEqual(
    (await readdir(bench.taskFolder)).filter((name) => name.startsWith('ses_')),
    [],
  );
});

test('a later start of the program finds a process again, reads it, writes to it and is told of its end once', async () => {
  await using bench = await openToolBench();
  const { id } = await start(bench, 'echo begun; read -r line; echo "got $line"; exit 6');

  bench.restart();
  await bench.run('process', { action: 'write', id, text: 'late\n' });
  const news = await firstNews(bench.toolbox);

  assert.match(
    news.forPeople,
    new RegExp(`^The background process ${id} has ended with exit code 6 after \\d+ s: echo`),
  );
  assert.deepEqual(
    bench.toolbox.unheardNews(bench.place.sessionId).map(({ key, forModel }) => [key, forModel]),
    [[news.key, news.forModel]],
  );
  news.noteTold();
  news.noteHeard();
  assert.deepEqual(bench.toolbox.unheardNews(bench.place.sessionId), []);
  assert.match(await bench.run('process', { action: 'read', id }), /^begun\ngot late\n/);
});

test('what the model saw end is no news', async () => {
  await using bench = await openToolBench();
  const waited = await start(bench, 'exit 1');
  const killed = await start(bench, 'sleep 1000');
  const listed = await start(bench, 'exit 2');
  const unseen = await start(bench, 'exit 3');
  await bench.run('process', { action: 'wait', id: waited.id });
  await bench.run('process', { action: 'kill', id: killed.id });
  await Promise.all([listed, unseen].map(whenOver));

  await bench.run('process', { action: 'read', id: listed.id });

  const told = bench.toolbox.unheardNews(bench.place.sessionId).map(({ key }) => key.split('/')[1]);
  assert.deepEqual(told, [unseen.id]);
});

test('for as long as a call waits for a process, its end is left to that call to tell', async () => {
  await using bench = await openToolBench();
  const ticket = await start(bench, 'true');
  await whenOver(ticket);
  const endings = new ProcessEndings(new BackgroundProcesses(bench.taskFolder));
  const { sessionId } = bench.place;

  const held = endings.hold(ticket);
  const during = endings.unheardNews(sessionId);
  held[Symbol.dispose]();

  assert.deepEqual(during, []);
  assert.equal(endings.unheardNews(sessionId).length, 1);
});

test('a process that outlives what looked after it can still be killed, and nobody claims to know how it ended', async () => {
  await using bench = await openToolBench();
  const ticket = await start(bench, 'sleep 1000');
  const leader = pidOf(ticket.leader());
  const supervisor = pidOf(ticket.supervisor());

  process.kill(supervisor, 'SIGKILL');
  await whenGone(supervisor);
  const listed = await bench.run('process', { action: 'list' });
  const killed = await bench.run('process', { action: 'kill', id: ticket.id });

  assert.match(listed, /is running/);
  assert.equal(killed, `${ticket.id} is killed: it is gone, and nobody knows how it ended.`);
  await whenGone(leader);
});

test('what was never begun is known not to have run, and cannot run any more', async () => {
  await using bench = await openToolBench();
  const call = { idempotencyKey: 'the-call' };
  const input = { command: 'touch ran', background: true };
  const ticket = new BackgroundProcesses(bench.taskFolder).ofCall(bench.place.sessionId, call.idempotencyKey);
  const account = { command: 'touch ran', workdir: bench.workdir, startedAtMs: 0, terminal: 'none' } as const;
  ticket.create({ ...account, starter: describeProcess(process.pid) }, { request: '', variables: '' });

  const outcome = await bench.recover('terminal', input, call);

  assert.match(outcome === undefined ? '' : outcomeToText(outcome), /^ERROR: .*it has not run$/);
  assert.equal(await bench.recover('terminal', input, { idempotencyKey: 'another' }), undefined);
  assert.deepEqual(await readdir(bench.workdir), []);
});

test('what was written is not written again by a later start, and waiting is taken up again', async () => {
  await using bench = await openToolBench();
  const { id } = await start(bench, 'cat');

  const write = await bench.recover('process', { action: 'write', id, text: 'x' }, {});
  const waiting = bench.recover('process', { action: 'wait', id }, {});
  await bench.run('process', { action: 'close', id });

  assert.equal(write, undefined);
  const outcome = await waiting;
  assert.match(outcome === undefined ? '' : outcomeToText(outcome), /^\[proc_\w+ has ended with exit code 0;/);
});

test('of those that have ended the newest are kept for looking up, and the others are gone', async () => {
  await using bench = await openToolBench();
  const processes = new BackgroundProcesses(bench.taskFolder);
  const first = await start(bench, 'true');
  await bench.run('process', { action: 'wait', id: first.id });
  for (let count = 0; count < 21; count += 1) {
    const { id } = await start(bench, 'true');
    await bench.run('process', { action: 'wait', id });
  }

  await start(bench, 'true');

  assert.equal(first.exists(), false);
  assert.equal(processes.list(bench.place.sessionId).length, 21);
});

test('writing to a process is agreed to like a command, and what never runs is not written either', async () => {
  await using bench = await openToolBench();
  const { id } = await start(bench, 'bash');

  const asked = await bench.assess('process', { action: 'write', id, text: 'ls\n' });
  const forbidden = await bench.assess('process', { action: 'write', id, text: 'rm -rf /\n' });
  const started = await bench.question('terminal', { command: 'make', background: true });

  assert.deepEqual(asked, { type: 'ask', question: `ls\n\nwritten to ${id}: bash` });
  assert.equal(forbidden.type, 'forbidden');
  assert.equal(started, `make\nin ${bench.workdir}, in the background`);
  for (const action of ['read', 'wait', 'kill', 'close']) {
    assert.deepEqual(await bench.assess('process', { action, id }), { type: 'safe' });
  }
});

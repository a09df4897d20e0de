import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { outcomeToText } from '../../../src/model/message.ts';
import type { ToolOutcome } from '../../../src/model/message.ts';
import { findSshObstacle, openSshServer } from '../../support/ssh-server.ts';
import type { SshServer } from '../../support/ssh-server.ts';
import { whenGone } from '../../support/processes.ts';
import { openToolBench } from '../open-toolbox.ts';
import type { ToolBench } from '../open-toolbox.ts';

const withSsh = { skip: findSshObstacle() };
let opening: Promise<SshServer> | undefined;
let server: SshServer;
const waitForGo = 'while [ ! -e ~/go ]; do sleep 0.02; done';

after(async () => {
  await (await opening)?.[Symbol.asyncDispose]();
});

async function openBench(): Promise<ToolBench> {
  server = await (opening ??= openSshServer());
  await rm(server.home, { recursive: true });
  await mkdir(server.home);
  return await openToolBench({ terminal: { backend: 'ssh', ssh: server.settings } });
}

/** Has another process begin these commands, and kills it once each has put out a line. */
async function beginAndDie(bench: ToolBench, commands: readonly string[]): Promise<void> {
  const program = fileURLToPath(new URL('../../support/remote-shell-child.ts', import.meta.url));
  const ssh = JSON.stringify(server.settings);
  const args = [program, bench.home, bench.workdir, bench.place.sessionId, ssh, JSON.stringify(commands)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let lines = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    assert.match(line, /^begun/);
    lines += 1;
    if (lines === commands.length) break;
  }
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Begins a command, and ends the program in good order, as far as the tool can tell. */
async function beginAndLeave(bench: ToolBench, command: string, timeout = 60): Promise<string> {
  const shutdown = new AbortController();
  const begun = Promise.withResolvers<string>();
  const more = { idempotencyKey: 'call-0', signal: shutdown.signal, progress: begun.resolve };
  const running = bench.outcome('terminal', { command, timeout }, more);
  const line = await begun.promise;
  shutdown.abort({ type: 'shutdown' });
  assert.deepEqual(await running, { type: 'interrupted' });
  await bench.shutDown();
  bench.restart();
  return line;
}

async function recover(bench: ToolBench, index: number): Promise<ToolOutcome | undefined> {
  return await bench.recover('terminal', { command: 'as before' }, { idempotencyKey: `call-${index}` });
}

async function recoverText(bench: ToolBench, index: number): Promise<string> {
  return outcomeToText((await recover(bench, index)) ?? { type: 'interrupted' });
}

test(
  'three commands that ran when the program was killed are found with their results, and each ran once',
  withSsh,
  async () => {
    await using bench = await openBench();
    const commands = [1, 2, 3].map(
      (number) => `echo ${number} >> ~/ledger; echo begun ${number}; ${waitForGo}; exit ${number}`,
    );
    await beginAndDie(bench, commands);

    const recovered = [0, 1, 2].map((index) => recoverText(bench, index));
    await writeFile(join(server.home, 'go'), '');

    assert.deepEqual(await Promise.all(recovered), [
      'begun 1\n[exit code 1]',
      'begun 2\n[exit code 2]',
      'begun 3\n[exit code 3]',
    ]);
    assert.equal(await recoverText(bench, 0), 'begun 1\n[exit code 1]');
    const ledger = await readFile(join(server.home, 'ledger'), 'utf8');
    assert.deepEqual(ledger.trim().split('\n').toSorted(), ['1', '2', '3']);
  },
);

test('a command that ended while nobody listened has left its folder and variables for the next', withSsh, async () => {
  await using bench = await openBench();
  await beginAndLeave(bench, `echo begun; ${waitForGo}; cd /usr; export A=1`);
  await writeFile(join(server.home, 'go'), '');

  assert.equal(await recoverText(bench, 0), 'begun');
  assert.equal(await bench.run('terminal', { command: 'pwd; echo $A' }), '/usr\n1');
});

test('a recovered command can be ended, and says that it was for a turn that is put aside', withSsh, async () => {
  await using bench = await openBench();
  await beginAndLeave(bench, 'echo begun $$; sleep 1000');
  const stop = new AbortController();
  const line = Promise.withResolvers<string>();

  const more = { idempotencyKey: 'call-0', signal: stop.signal, progress: line.resolve };
  const recovered = bench.recover('terminal', { command: 'as before' }, more);
  const pid = Number((await line.promise).split(' ')[1]);
  stop.abort({ type: 'put-aside', reason: 'twice' });

  assert.deepEqual(await recovered, {
    type: 'done',
    parts: [{ type: 'text', text: `begun ${pid}\n[stopped by the program when it put the turn aside, exit code 130]` }],
    ended: 'put-aside',
  });
  await whenGone(pid);
});

test('the host ends a command in time when nobody is there to do it', withSsh, async () => {
  await using bench = await openBench();
  const line = await beginAndLeave(bench, 'echo begun $$; sleep 1000', 1);

  await whenGone(Number(line.split(' ')[1]));
  const outcome = await bench.recover('terminal', { command: 'as before', timeout: 1 }, { idempotencyKey: 'call-0' });

  const text = outcomeToText(outcome ?? { type: 'interrupted' });
  assert.equal(text, `${line}\n[timed out after 1 s]\n[exit code 124]`);
});

test('a call that was never begun on the host is known not to have run, and cannot run any more', withSsh, async () => {
  await using bench = await openBench();
  const call = { idempotencyKey: 'call-0' };
  await bench.run('terminal', { command: 'touch ~/ran' }, call);
  // As if the connection had ended before the host took notice of it.
  await rm(join(server.home, '.talaria-remote', bench.place.sessionId, 'call-0'), { recursive: true });
  await rm(join(server.home, 'ran'));
  bench.restart();

  const recovered = await recoverText(bench, 0);
  const again = await bench.run('terminal', { command: 'touch ~/ran' }, call);

  assert.equal(recovered, 'ERROR: it had not been begun on root@127.0.0.1 when the connection ended; it has not run');
  assert.equal(again, 'ERROR: this call was begun before, and does not run a second time');
  assert.deepEqual(await readdir(server.home), ['.talaria-remote']);
});

test(
  'what is missing on a host that was started anew proves nothing, and another host is not asked',
  withSsh,
  async () => {
    await using bench = await openBench();
    const calls = join(bench.taskFolder, bench.place.sessionId, 'remote-calls');
    await mkdir(calls, { recursive: true });
    await writeFile(join(calls, 'call-0'), JSON.stringify({ where: 'ann@elsewhere', epoch: '' }));
    await writeFile(join(calls, 'call-2'), JSON.stringify({ where: 'root@127.0.0.1', epoch: 'an-earlier-one' }));

    const others = [await recover(bench, 0), await recover(bench, 1)];
    const untouched = await readdir(server.home);
    const anew = await recover(bench, 2);

    assert.deepEqual(others, [undefined, undefined]);
    assert.deepEqual(untouched, []);
    assert.equal(anew?.type, 'unknown');
  },
);

test('where the host is down after a kill, that is said and nothing is run again', withSsh, async () => {
  await using bench = await openBench();
  await beginAndDie(bench, [`echo ran >> ~/ledger; echo begun; ${waitForGo}`]);
  await server.stop();

  const down = await recover(bench, 0);
  await writeFile(join(server.home, 'go'), '');
  await server.start();

  assert.equal(down?.type, 'unknown');
  assert.match(
    outcomeToText(down),
    /it had been sent to root@127\.0\.0\.1, and is not sent again\. .*cannot be reached/,
  );
  assert.equal(await recoverText(bench, 0), 'begun');
  assert.equal(await readFile(join(server.home, 'ledger'), 'utf8'), 'ran\n');
});

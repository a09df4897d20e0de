import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/base/ids.ts';
import { whenGone } from '../support/processes.ts';
import { openToolBench } from './open-toolbox.ts';

for (const [what, command] of [
  ['a background process', 'sleep 300 >/dev/null 2>&1 & echo $!'],
  ['one that left its group', 'setsid sleep 300 >/dev/null 2>&1 & echo $!'],
] as const) {
  test(`${what} counts as alive until it ends, also after a restart of the program`, async () => {
    await using bench = await openToolBench();
    const { sessionId } = bench.place;
    const pid = Number(await bench.run('terminal', { command }));

    const atOnce = await bench.toolbox.hasLiveProcess(sessionId);
    bench.restart();
    const later = await bench.toolbox.hasLiveProcess(sessionId);
    const elsewhere = await bench.toolbox.hasLiveProcess(newId('session', Date.now()));
    process.kill(pid, 'SIGKILL');
    await whenGone(pid);

    assert.deepEqual([atOnce, later, elsewhere], [true, true, false]);
    assert.equal(await bench.toolbox.hasLiveProcess(sessionId), false);
  });
}

test('a session has a task from its first command until that is ended, in the eyes of every start', async () => {
  await using bench = await openToolBench();
  const { sessionId } = bench.place;
  const before = await bench.toolbox.sessionsWithTask();

  await bench.run('terminal', { command: 'true' });
  bench.restart();
  const after = await bench.toolbox.sessionsWithTask();
  await bench.toolbox.endTask(sessionId);

  assert.deepEqual([before, after], [[], [sessionId]]);
  assert.deepEqual(await bench.toolbox.sessionsWithTask(), []);
  assert.equal(await bench.toolbox.hasLiveProcess(sessionId), false);
});

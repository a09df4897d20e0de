import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { test } from 'node:test';
import type { SessionId } from '../../../src/base/ids.ts';
import { CallTickets } from '../../../src/tools/shell/call-tickets.ts';
import { CapturedOutput } from '../../../src/tools/shell/captured-output.ts';
import { findBash } from '../../../src/tools/shell/find-bash.ts';
import { isGroupAlive } from '../../../src/tools/shell/process-group.ts';
import { Runner } from '../../../src/tools/shell/runner.ts';
import { whenCollected } from '../../support/processes.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

for (const who of ['nobody', 'someone else'] as const) {
  test(`a command that ${who} has claimed ${who === 'nobody' ? 'runs' : 'does not run, however late its shell looks'}`, async () => {
    await using folder = await makeTempFolder();
    const path = process.env['PATH'] ?? '';
    const runner = new Runner({ bash: findBash(path), environment: { PATH: path }, folder: folder.path, ready: '' });
    const ticket = new CallTickets(folder.path).hold('ses_1' as SessionId, 'key');
    const ran = join(folder.path, 'ran');
    const session = { name: 'TALARIA_SESSION', value: 'ses_1' };
    const request = { script: 'eval "$1"', command: `: > ${ran}`, session, runner: runner.identity, endsAtMs: 0 };

    const call = await runner.run(({ folder: slot, group }) => {
      assert.equal(ticket.create(slot, { ...request, group }), true);
      if (who === 'someone else') assert.equal(ticket.revoke(), true);
      return true;
    });

    const code = who === 'nobody' ? 0 : 125;
    assert.deepEqual(await call?.exited, { type: 'exited', code });
    assert.equal(existsSync(ran), who === 'nobody');
    assert.equal(ticket.exitCode(), code);
    runner.dismiss();
  });
}

test('a shell makes itself ready before its command is known', async () => {
  await using folder = await makeTempFolder();
  const path = process.env['PATH'] ?? '';
  const early = join(folder.path, 'early');
  const start = { bash: findBash(path), environment: { PATH: path }, folder: folder.path };
  const runner = new Runner({ ...start, ready: `echo $$ > '${early}'` });

  // It is there for a moment before anything stands in it.
  while (!existsSync(early) || readFileSync(early, 'utf8') === '') await nextTick();
  const call = await runner.run(({ group }) => {
    assert.equal(readFileSync(early, 'utf8'), `${group}\n`);
    return false;
  });

  assert.equal(call, undefined);
  runner.dismiss();
  await runner.ended;
});

test('a runner that is dismissed writes down what nobody has read of an output, and leaves nothing behind', async () => {
  await using folder = await makeTempFolder();
  const path = process.env['PATH'] ?? '';
  const runner = new Runner({ bash: findBash(path), environment: { PATH: path }, folder: folder.path, ready: '' });
  const ticket = new CallTickets(folder.path).hold('ses_1' as SessionId, 'key');
  const session = { name: 'TALARIA_SESSION', value: 'ses_1' };
  const command = String.raw`echo unread; printf 'a\0b'`;
  const request = { script: 'eval "$1"', command, session, runner: runner.identity, endsAtMs: 0 };

  await runner.run(({ folder: slot, group }) => ticket.create(slot, { ...request, group }));
  runner.dismiss();
  const leader = Number.parseInt(runner.identity, 10);
  await whenCollected(leader);

  const output = new CapturedOutput();
  await ticket.readOutput(output);
  assert.equal(output.text(), 'unread\nab');
  const left = (await readdir(folder.path)).filter((name) => name.endsWith('.pipe'));
  assert.deepEqual(left, []);
  while (isGroupAlive(leader)) await nextTick();
});

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { SessionId } from '../../../src/base/ids.ts';
import { CallTickets } from '../../../src/tools/shell/call-tickets.ts';
import { findBash } from '../../../src/tools/shell/find-bash.ts';
import { Runner } from '../../../src/tools/shell/runner.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

for (const who of ['nobody', 'someone else'] as const) {
  test(`a command that ${who} has claimed ${who === 'nobody' ? 'runs' : 'does not run, however late its shell looks'}`, async () => {
    await using folder = await makeTempFolder();
    const path = process.env['PATH'] ?? '';
    const runner = new Runner({ bash: findBash(path), environment: { PATH: path }, folder: folder.path });
    const ticket = new CallTickets(folder.path).hold('ses_1' as SessionId, 'key');
    const ran = join(folder.path, 'ran');
    const session = { name: 'TALARIA_SESSION', value: 'ses_1' };
    const request = { script: 'eval "$1"', command: `: > ${ran}`, session, runner: runner.identity, endsAtMs: 0 };

    const watch = await runner.run((slot) => {
      assert.equal(ticket.create(slot, request), true);
      if (who === 'someone else') assert.equal(ticket.revoke(), true);
      return true;
    });

    const code = who === 'nobody' ? 0 : 125;
    assert.deepEqual(await watch?.exited, { type: 'exited', code });
    assert.equal(existsSync(ran), who === 'nobody');
    assert.equal(ticket.exitCode(), code);
    runner.dismiss();
  });
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeTrouble } from '../../../src/cli/service/describe-trouble.ts';

function show(active: string, sub: string, [result, code, status]: readonly [string, number, number]): string {
  return `Result=${result}\nExecMainCode=${code}\nExecMainStatus=${status}\nActiveState=${active}\nSubState=${sub}\n`;
}

const again = 'systemd starts it again after a pause';
const over = 'systemd does not try again';

for (const [shown, said] of [
  [show('active', 'running', ['success', 0, 0]), undefined],
  [show('inactive', 'dead', ['success', 1, 0]), undefined],
  ['', undefined],
  [show('activating', 'auto-restart', ['exit-code', 1, 70]), `it ended with code 70; ${again}`],
  [show('activating', 'auto-restart-queued', ['signal', 2, 11]), `it was ended by SIGSEGV; ${again}`],
  [show('activating', 'auto-restart', ['oom-kill', 2, 9]), `it was ended for want of memory; ${again}`],
  [show('failed', 'failed', ['exit-code', 1, 78]), `it ended with code 78; ${over}`],
  [show('failed', 'failed', ['timeout', 2, 9]), `it did not end in time and was killed; ${over}`],
  [show('failed', 'failed', ['resources', 0, 0]), `it cannot be started (resources); ${over}`],
  [
    show('activating', 'auto-restart', ['exit-code', 1, 203]),
    `its program is not where it was (talaria gateway install writes where it is now); ${again}`,
  ],
] as const) {
  test(`of a unit with ${shown.trim().replaceAll('\n', ' ') || 'nothing to show'} it is said: ${said ?? 'nothing'}`, () => {
    assert.equal(describeTrouble(shown), said);
  });
}

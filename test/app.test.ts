import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ManualClock } from './support/manual-clock.ts';
import { callsTool, says } from './support/model-script.ts';
import { openTestHouse } from './support/test-house.ts';

const dayMs = 24 * 60 * 60 * 1000;

test('sessions that were idle for longer than the retention are forgotten at the next start, with their working state', async () => {
  const clock = new ManualClock(Date.now());
  await using house = await openTestHouse({
    script: [callsTool('terminal', { command: 'export KEPT=1' }), says('Done.')],
    settings: { storage: { retention_days: 30 } },
    clock,
  });
  await house.say('remember this');
  const session = await house.session();
  const task = join(house.home, 'tasks', session.id);
  const isThereAtFirst = existsSync(task);

  clock.advance(29 * dayMs);
  await house.restart();
  const afterAMonth = await house.app.store.sessions.get(session.id);
  clock.advance(2 * dayMs);
  await house.restart();
  const later = await house.app.store.sessions.get(session.id);

  assert.equal(isThereAtFirst, true);
  assert.notEqual(afterAMonth, undefined);
  assert.equal(later, undefined);
  assert.equal(existsSync(task), false);
});

test('a configured model that cannot be used is named, with what to do', async () => {
  await using house = await openTestHouse({ script: [] });
  await house.close();
  const { writeFile } = await import('node:fs/promises');
  const { openApp } = await import('../src/app.ts');
  const { systemClock } = await import('../src/base/clock.ts');
  await writeFile(join(house.home, 'config.json'), JSON.stringify({ model: { provider: 'anthropic' } }));

  await using app = await openApp(
    { purpose: 'serve', model: undefined },
    { env: { TALARIA_HOME: house.home }, clock: systemClock, faults: undefined },
  );
  const port = {
    asks: 'no',
    read: () => (async function* () {})(),
    show: () => Promise.resolve(),
    conclude: () => undefined,
  } as const;
  const seat = { port, address: house.address, person: 'owner' as never, workdir: house.workdir };

  await assert.rejects(app.serveTerminal(seat), { code: 'no-model', message: /ANTHROPIC_API_KEY/ });
});

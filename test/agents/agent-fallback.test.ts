import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { says } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { openAgentBench, runtimeAt } from './agent-bench.ts';

test('F10 a turn whose primary client cannot be built is still answered, by a fallback', async () => {
  await using server = await startModelServer(() => says('stand-in'));
  const chain = [runtimeAt(server.baseUrl, 'first'), runtimeAt(server.baseUrl, 'second')] as const;
  await using bench = await openAgentBench({ chain, clock: systemClock, locked: 'first' });

  const end = await bench.run();

  assert.deepEqual(end, { type: 'replied', text: 'stand-in', ending: 'complete' });
  assert.deepEqual(
    server.requests.map(({ json }) => json?.['model']),
    ['second'],
  );
});

test('T1 the one recovery closes the client and builds another, after one wait', async () => {
  const clock = new ManualClock();
  await using server = await startModelServer(() => says('stand-in'));
  const chain = [runtimeAt('http://127.0.0.1:1/v1', 'gone'), runtimeAt(server.baseUrl, 'second')] as const;
  await using bench = await openAgentBench({ chain, clock, network: () => systemClock });

  const run = bench.run();
  for (const waitMs of [1000, 2000, 4000, 6000]) {
    await clock.whenSomeoneSleeps();
    clock.advance(waitMs);
  }
  const end = await run;

  assert.deepEqual(end, { type: 'replied', text: 'stand-in', ending: 'complete' });
  assert.deepEqual(bench.notes, ['build gone', 'close gone', 'build gone', 'build second']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Agent } from '../../src/agents/agent.ts';
import type { ActivityReport } from '../../src/agents/activity.ts';
import type { StepEvent } from '../../src/model/turn.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { callsTool, delays, says } from '../support/model-script.ts';
import { openCacheBench } from './cache-bench.ts';
import type { CacheBench } from './cache-bench.ts';

const minuteMs = 60_000;
const freshDescription = 'starting new turn (cached)';

interface Entered {
  readonly bench: CacheBench;
  readonly agent: Agent;
  /** As they were before the turn was entered, and at its first API call. */
  readonly before: ActivityReport;
  readonly atFirstCall: ActivityReport;
  readonly now: number;
}

/** A cached agent that was idle for a while and then enters a turn at this depth, seen as its first request arrives. */
async function enter(
  interruptDepth: number,
  idleMs: number,
  look: (entered: Entered) => void | Promise<void>,
): Promise<void> {
  const clock = new ManualClock();
  const gate = Promise.withResolvers<void>();
  const script = [
    callsTool('read_file', { path: 'missing' }),
    says('Hello.'),
    delays(gate.promise, says('And again.')),
  ];
  await using bench = await openCacheBench({ script, clock });
  const agent = await bench.say('a');
  const before = agent.activity;
  clock.advance(idleMs);
  const running = bench.run(agent, { interruptDepth });
  await bench.server.whenRequested(3);

  await look({ bench, agent, before, atFirstCall: agent.activity, now: clock.monotonic() });
  gate.resolve();
  await running;
}

test('I1 a fresh turn resets the clock to now, before its first API call, however long the session was idle', async () => {
  await enter(0, 29 * minuteMs, ({ before, atFirstCall, now }) => {
    assert.equal(before.at, now - 29 * minuteMs);
    assert.equal(atFirstCall.at, now);
  });
});

test('I2 a fresh turn sets the description, too', async () => {
  await enter(0, 29 * minuteMs, ({ before, atFirstCall }) => {
    assert.notEqual(before.description, freshDescription);
    assert.equal(atFirstCall.description, freshDescription);
  });
});

function assertClockKept({ before, atFirstCall, now }: Entered): void {
  assert.equal(atFirstCall.at, before.at);
  assert.equal(atFirstCall.at, now - 20 * minuteMs);
}

function assertDescriptionKept({ before, atFirstCall }: Entered): void {
  assert.equal(atFirstCall.description, before.description);
  assert.notEqual(atFirstCall.description, freshDescription);
}

test('I3 a turn that was entered by interrupting another keeps the clock', async () => {
  await enter(1, 20 * minuteMs, assertClockKept);
});

test('I4 a turn that was entered by interrupting another keeps the description', async () => {
  await enter(1, 20 * minuteMs, assertDescriptionKept);
});

test('I5 any depth above zero keeps both', async () => {
  await enter(4, 20 * minuteMs, (look) => {
    assertClockKept(look);
    assertDescriptionKept(look);
  });
});

for (const depth of [0, 1, 4]) {
  test(`I6 the count of API calls begins at zero with every turn, at depth ${depth} as at any`, async () => {
    await enter(depth, minuteMs, ({ before, atFirstCall }) => {
      assert.equal(before.apiCalls, 2);
      assert.equal(atFirstCall.apiCalls, 1);
    });
  });
}

test('I7 a turn that was stuck in a tool for 1750 s and then interrupted is seen as idle for 1750 s as the next is entered', async () => {
  const clock = new ManualClock();
  const gate = Promise.withResolvers<void>();
  const script = [callsTool('terminal', { command: 'sleep 300' }), delays(gate.promise, says('Here.'))];
  await using bench = await openCacheBench({ script, clock });
  const lease = await bench.cache.lease(await bench.session('a'));
  const stop = new AbortController();
  const called = Promise.withResolvers<void>();
  const onEvent = (event: StepEvent): void => {
    if (event.type === 'entry' && event.logged.entry.type === 'tool.called') called.resolve();
  };
  const stuck = bench.run(lease.agent, { signal: stop.signal, onEvent });
  await called.promise;

  clock.advance(1_750_000);
  stop.abort({ type: 'stop', by: 'owner' });
  await stuck;
  const next = bench.run(lease.agent, { interruptDepth: 1 });
  await bench.server.whenRequested(2);
  const { at, description } = lease.agent.activity;
  gate.resolve();
  await next;

  assert.deepEqual([clock.monotonic() - (at ?? 0), description], [1_750_000, 'running terminal']);
  lease[Symbol.dispose]();
  await bench.cache.close(lease.agent.sessionId);
});

test('what a model or a tool does stirs the clock, and says what it was', async () => {
  const clock = new ManualClock();
  const gate = Promise.withResolvers<void>();
  await using bench = await openCacheBench({ script: [delays(gate.promise, says('Hello.'))], clock });
  using lease = await bench.cache.lease(await bench.session('a'));
  const running = bench.run(lease.agent);
  await bench.server.whenRequested(1);
  const beganAt = clock.monotonic();

  clock.advance(minuteMs);
  gate.resolve();
  await running;

  assert.deepEqual(lease.agent.activity, { at: beganAt + minuteMs, description: 'the model answered', apiCalls: 1 });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentLease } from '../../src/agents/agent-cache.ts';
import { chooseExcess } from '../../src/agents/choose-excess.ts';
import { sweepIdleAgents } from '../../src/agents/sweep-idle.ts';
import { withDefaults } from '../../src/model/config.ts';
import type { UserConfig } from '../../src/model/config-schema.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { openCacheBench } from './cache-bench.ts';
import type { CacheBench } from './cache-bench.ts';

const hourMs = 60 * 60 * 1000;

async function sayAll(bench: CacheBench, chats: readonly string[]): Promise<void> {
  for (const chat of chats) await bench.say(chat);
}

/** Agents that are mid-turn: leased, with a turn behind them so that they have a client. */
async function hold(bench: CacheBench, chats: readonly string[]): Promise<Map<string, AgentLease>> {
  const leases = new Map<string, AgentLease>();
  for (const chat of chats) {
    const lease = await bench.cache.lease(await bench.session(chat));
    await bench.run(lease.agent);
    leases.set(chat, lease);
  }
  return leases;
}

function giveBack(leases: ReadonlyMap<string, AgentLease>, chats: readonly string[]): void {
  for (const chat of chats) leases.get(chat)?.[Symbol.dispose]();
}

function midTurnWarnings(bench: CacheBench): readonly string[] {
  return bench.logged.filter((line) => line.startsWith('warn:') && line.includes('mid-turn'));
}

test('B1 one more than the cap evicts the least recently used; the default cap is 128', async () => {
  await using bench = await openCacheBench({ limits: { maxAgents: 2 } });

  await sayAll(bench, ['a', 'b', 'c']);

  assert.deepEqual(await bench.cached(), ['b', 'c']);
  assert.equal(withDefaults({} as UserConfig).agentCache.maxAgents, 128);
});

test('B2 an entry that was touched is no longer the oldest', async () => {
  await using bench = await openCacheBench({ limits: { maxAgents: 2 } });
  await sayAll(bench, ['a', 'b']);

  await sayAll(bench, ['a', 'c']);

  assert.deepEqual(await bench.cached(), ['a', 'c']);
});

test('B7 each hit by an ordinary message refreshes the order, time and again', async () => {
  await using bench = await openCacheBench({ limits: { maxAgents: 3 } });
  await sayAll(bench, ['a', 'b', 'c']);

  await sayAll(bench, ['b', 'a', 'd', 'a', 'e']);

  assert.deepEqual(await bench.cached(), ['d', 'a', 'e']);
});

test('B3 an eviction closes the client of the evicted agent and no other, and ends no task', async () => {
  await using bench = await openCacheBench({ limits: { maxAgents: 2 } });

  await sayAll(bench, ['a', 'b', 'c']);
  await bench.whenNoted('close a');
  await sayAll(bench, ['b', 'c']);

  assert.deepEqual(bench.notes, ['build a', 'build b', 'build c', 'close a']);
  assert.equal(bench.server.openConnections, 2);
});

test('B3 with a client that never closes the message that evicts it is still answered, and so is the sweep', async () => {
  const clock = new ManualClock();
  await using bench = await openCacheBench({ limits: { maxAgents: 1, idleMs: hourMs }, clock });
  await bench.say('a');
  bench.holdReleases();

  await bench.say('b');
  clock.advance(2 * hourMs);
  const swept = bench.cache.sweepIdle();
  await bench.say('c');

  assert.equal(swept, 1);
  assert.equal(bench.server.requests.length, 3);
  assert.deepEqual(
    bench.notes.filter((note) => note.startsWith('close')),
    [],
  );
});

test('a client that never closes holds up the end of the program for a moment, and no longer', async () => {
  const clock = new ManualClock();
  await using bench = await openCacheBench({ clock });
  await bench.say('a');
  bench.holdReleases();

  const released = bench.cache.releaseAll();
  await clock.whenSomeoneSleeps();
  clock.advance(5_000);
  await released;

  assert.deepEqual(await bench.cached(), []);
});

test('at the end of the program agents that are mid-turn give their clients back, too, and once', async () => {
  await using bench = await openCacheBench();
  const leases = await hold(bench, ['a', 'b']);

  await bench.cache.releaseAll();
  const closed = bench.notes.filter((note) => note.startsWith('close'));
  giveBack(leases, ['a', 'b']);
  await bench.cache.releaseAll();

  assert.deepEqual(closed.toSorted(), ['close a', 'close b']);
  assert.equal(bench.notes.filter((note) => note.startsWith('close')).length, 2);
});

test('B4 the sweep lets go of agents that are idle past the TTL and says how many; the default is an hour', async () => {
  const clock = new ManualClock();
  await using bench = await openCacheBench({ clock });
  await sayAll(bench, ['a', 'b']);

  clock.advance(hourMs - 60_000);
  await bench.say('c');
  const early = bench.cache.sweepIdle();
  clock.advance(60_001);
  const swept = bench.cache.sweepIdle();
  await bench.whenNoted('close a');
  await bench.whenNoted('close b');

  assert.deepEqual([early, swept], [0, 2]);
  assert.deepEqual(await bench.cached(), ['c']);
  assert.equal(withDefaults({} as UserConfig).agentCache.idleMs, hourMs);
});

test('B4 the program sweeps by itself', async () => {
  const clock = new ManualClock();
  await using bench = await openCacheBench({ clock });
  await bench.say('a');
  const ending = new AbortController();
  const lines: string[] = [];
  const log = { write: (_level: string, message: string): void => void lines.push(message) };

  const sweeping = sweepIdleAgents({ agents: bench.cache, clock, log }, ending.signal);
  clock.advance(2 * hourMs);
  await bench.whenNoted('close a');
  ending.abort();
  await sweeping;

  assert.deepEqual(lines, ['1 idle agent was let go of']);
});

test('B5 an agent on which no turn has begun is left alone by the sweep and not counted', async () => {
  const clock = new ManualClock();
  await using bench = await openCacheBench({ clock });
  {
    using unused = await bench.cache.lease(await bench.session('unused'));
    assert.equal(unused.agent.activity.at, undefined);
  }
  await bench.say('used');

  clock.advance(5 * hourMs);
  const swept = bench.cache.sweepIdle();

  assert.equal(swept, 1);
  assert.deepEqual(await bench.cached(), ['unused']);
});

test('B6 a cache that was made unbounded takes 200 inserts and evicts none', async () => {
  await using bench = await openCacheBench();
  bench.configure({ agent_cache: { max_agents: 0, max_mb: 0 } });
  const chats = Array.from({ length: 200 }, (_, index) => `chat ${index}`);

  for (const chat of chats) (await bench.cache.lease(await bench.session(chat)))[Symbol.dispose]();

  assert.deepEqual(await bench.cached(), chats);
  assert.deepEqual(bench.logged, []);
});

test('the oldest agents go when all of them together hold too much, and the newest never', async () => {
  await using bench = await openCacheBench({ limits: { maxBytes: 150_000 } });
  const long = 'word '.repeat(20_000);

  await bench.say('small');
  await bench.say('large', { text: long });
  const afterLarge = await bench.cached();
  await bench.say('larger', { text: long + long });

  assert.deepEqual(afterLarge, ['small', 'large']);
  assert.deepEqual(await bench.cached(), ['larger']);
});

test('A1 where the oldest is mid-turn nothing newer goes in its place: the cache is over its cap until the next insert', async () => {
  await using bench = await openCacheBench({ limits: { maxAgents: 2 } });
  const leases = await hold(bench, ['a']);
  await sayAll(bench, ['b', 'c']);
  const over = await bench.cached();

  await bench.say('d');

  assert.deepEqual(over, ['a', 'b', 'c']);
  assert.deepEqual(await bench.cached(), ['a', 'c', 'd']);
  giveBack(leases, ['a']);
});

test('A2 only the idle among the excess oldest go: cap 2, four entries, the oldest mid-turn: exactly the second', async () => {
  await using bench = await openCacheBench({ limits: { maxAgents: 2 } });
  const leases = await hold(bench, ['a', 'b', 'c', 'd']);
  const full = await bench.cached();

  giveBack(leases, ['b', 'c', 'd']);

  assert.deepEqual(full, ['a', 'b', 'c', 'd']);
  assert.deepEqual(await bench.cached(), ['a', 'c', 'd']);
  giveBack(leases, ['a']);
});

test('A2 the rule itself: of the excess oldest those that are mid-turn stay', () => {
  const entries = ['a', 'b', 'c', 'd'].map((name) => ({ name, isMidTurn: name === 'a', bytes: 10 }));

  const byCount = chooseExcess(entries, { maxAgents: 2, maxBytes: undefined });
  const byWeight = chooseExcess(entries, { maxAgents: undefined, maxBytes: 15 });

  assert.deepEqual([byCount.going.map(({ name }) => name), byCount.midTurn], [['b'], 1]);
  assert.deepEqual([byWeight.going.map(({ name }) => name), byWeight.midTurn], [['b', 'c'], 1]);
});

test('A3 where all of the excess is mid-turn nothing goes, and a warning reaches the log', async () => {
  await using bench = await openCacheBench({ limits: { maxAgents: 1 } });
  const leases = await hold(bench, ['a', 'b']);

  assert.deepEqual(await bench.cached(), ['a', 'b']);
  assert.equal(midTurnWarnings(bench).length, 1);
  giveBack(leases, ['a', 'b']);
});

test('A4 a session that is still being built neither blocks an eviction nor counts: exactly the oldest goes', async () => {
  await using bench = await openCacheBench({ limits: { maxAgents: 1 } });
  const leases = await hold(bench, ['a', 'b']);
  const gate = Promise.withResolvers<void>();
  bench.holdBuilds(gate.promise);
  const building = bench.cache.lease(await bench.session('c'));
  await bench.whenNoted('build c');

  giveBack(leases, ['a', 'b']);
  const whileBuilding = await bench.cached();
  gate.resolve();
  (await building)[Symbol.dispose]();

  assert.deepEqual(whileBuilding, ['b']);
  assert.deepEqual(await bench.cached(), ['c']);
});

test('A5 the sweep passes over an agent that is mid-turn, however stale its clock', async () => {
  const clock = new ManualClock();
  await using bench = await openCacheBench({ clock });
  const leases = await hold(bench, ['busy']);
  await bench.say('idle');

  clock.advance(10 * hourMs);
  const swept = bench.cache.sweepIdle();

  assert.equal(swept, 1);
  assert.deepEqual(await bench.cached(), ['busy']);
  giveBack(leases, ['busy']);
});

for (const [what, evict] of [
  ['the cap', async (bench: CacheBench) => await sayAll(bench, ['b', 'c'])],
  ['the sweep', async (bench: CacheBench) => void bench.cache.sweepIdle()],
  ['a reset', async (bench: CacheBench) => void (await bench.cache.close((await bench.session('a')).id))],
  ['/model --global', async (bench: CacheBench) => bench.cache.evictAll()],
  [
    'a change of the settings',
    async (bench: CacheBench) => {
      bench.configure({ compression: { threshold: 0.9 } });
      await bench.say('a');
    },
  ],
] as const) {
  test(`A6 after an eviction by ${what} the client of an agent mid-turn still answers`, async () => {
    const clock = new ManualClock();
    await using bench = await openCacheBench({ limits: { maxAgents: 1 }, clock });
    const leases = await hold(bench, ['a']);
    clock.advance(10 * hourMs);

    await evict(bench);
    const end = await bench.run(leases.get('a')?.agent ?? assert.fail('not held'));

    assert.equal(end.type, 'replied');
    assert.ok(!bench.notes.includes('close a'));
    giveBack(leases, ['a']);
  });
}

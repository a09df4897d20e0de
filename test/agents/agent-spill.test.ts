import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentLease } from '../../src/agents/agent-cache.ts';
import { sayings, trust, writeAllParts, writtenParts } from '../support/written-files.ts';
import { openCacheBench } from './cache-bench.ts';
import type { CacheBench, CacheBenchOptions } from './cache-bench.ts';

/** A bench whose agents are told everything that people can write for them. */
async function openWrittenBench(options: CacheBenchOptions): Promise<CacheBench> {
  const bench = await openCacheBench(options);
  await trust(bench.folder, bench.home.path);
  await writeFiles('larks', bench);
  return bench;
}

async function writeFiles(word: string, { home, folder }: CacheBench): Promise<void> {
  await writeAllParts(word, { home: home.path, workdir: folder });
}

/** Of every request, by its model: what its prompt says about which word. */
function wordsTold({ server }: CacheBench): readonly (readonly [model: unknown, words: readonly string[]])[] {
  return server.requests.map(({ json, body }) => [
    json?.['model'],
    ['larks', 'owls'].filter((word) => writtenParts.every((part) => body.includes(sayings[part](word)))),
  ]);
}

function chats(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `chat ${index}`);
}

test('P1 filled to the cap, one more evicts exactly the oldest', async () => {
  await using bench = await openWrittenBench({ limits: { maxAgents: 8 } });
  for (const chat of chats(8)) await bench.say(chat);
  await writeFiles('owls', bench);

  await bench.say('one more');
  await bench.whenNoted('close chat 0');

  assert.deepEqual(await bench.cached(), [...chats(8).slice(1), 'one more']);
  assert.deepEqual(
    bench.notes.filter((note) => note.startsWith('close')),
    ['close chat 0'],
  );
  assert.deepEqual(wordsTold(bench), [...chats(8).map((chat) => [chat, ['larks']]), ['one more', ['owls']]]);
});

test('P2 filled with agents mid-turn, one more makes one too many; every client still works, and a warning is logged', async () => {
  await using bench = await openWrittenBench({ limits: { maxAgents: 4 } });
  const leases: AgentLease[] = [];
  for (const chat of chats(4)) {
    const lease = await bench.cache.lease(await bench.session(chat));
    await bench.run(lease.agent);
    leases.push(lease);
  }

  await writeFiles('owls', bench);
  leases.push(await bench.cache.lease(await bench.session('one more')));
  const ends = await Promise.all(leases.map(({ agent }) => bench.run(agent)));

  assert.equal(bench.cache.sessions.length, 5);
  assert.deepEqual(new Set(ends.map(({ type }) => type)), new Set(['replied']));
  assert.ok(bench.logged.some((line) => line.startsWith('warn:') && line.includes('mid-turn')));
  assert.ok(!bench.notes.some((note) => note.startsWith('close')));
  for (const [model, words] of wordsTold(bench)) assert.deepEqual(words, [model === 'one more' ? 'owls' : 'larks']);
  for (const lease of leases) lease[Symbol.dispose]();
});

test('P3 eight writers with twenty sessions each into sixteen places: all are answered, and sixteen stay', async () => {
  await using bench = await openWrittenBench({ limits: { maxAgents: 16 } });
  const builds = { open: 0, most: 0 };
  const say = async (chat: string, goOn: Promise<unknown> = Promise.resolve()): Promise<void> => {
    builds.most = Math.max(builds.most, (builds.open += 1));
    using lease = await bench.cache.lease(await bench.session(chat));
    builds.open -= 1;
    await goOn;
    const end = await bench.run(lease.agent);
    assert.equal(end.type, 'replied');
  };
  const write = async (writer: number): Promise<void> => {
    for (let index = 1; index < 20; index += 1) await say(`${writer}/${index}`);
  };
  const others = Promise.withResolvers<void>();

  // The first turns are the longest: when they end, their agents are the oldest of all and far too many.
  const first = Array.from({ length: 8 }, (_, writer) => say(`${writer}/0`, others.promise));
  await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
  others.resolve();
  await Promise.all(first);

  assert.equal(bench.server.requests.length, 160);
  assert.equal(bench.cache.sessions.length, 16);
  assert.ok(builds.most > 1, 'builds interleave');
  for (const [, words] of wordsTold(bench)) assert.deepEqual(words, ['larks']);
});

test('P4 a session that was evicted gets a new agent with its next message, which is cached again', async () => {
  await using bench = await openWrittenBench({ limits: { maxAgents: 2 } });
  const first = await bench.say('a');
  await writeFiles('owls', bench);
  for (const chat of ['b', 'c']) await bench.say(chat);
  assert.deepEqual(await bench.cached(), ['b', 'c']);

  const second = await bench.say('a');
  const third = await bench.say('a');

  assert.notEqual(second, first);
  assert.equal(third, second);
  assert.equal(second.sessionId, first.sessionId);
  assert.deepEqual(await bench.cached(), ['c', 'a']);
  assert.deepEqual(wordsTold(bench), [
    ['a', ['larks']],
    ['b', ['owls']],
    ['c', ['owls']],
    ['a', ['larks']],
    ['a', ['larks']],
  ]);
});

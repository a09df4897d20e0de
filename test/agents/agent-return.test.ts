import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { callsTool, says } from '../support/model-script.ts';
import type { SeenRequest } from '../support/model-script.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { isRunning, whenGone } from '../support/processes.ts';
import { openCacheBench } from './cache-bench.ts';
import type { CacheBench } from './cache-bench.ts';

/** A turn in which one shell command runs: the message is the command. */
function runsWhatIsSaid({ json }: SeenRequest): ReturnType<typeof says> {
  const messages = json?.['messages'] as readonly { readonly role: string; readonly content: string }[];
  const last = messages.at(-1);
  return last?.role === 'user' ? callsTool('terminal', { command: last.content }) : says('Done.');
}

async function readPid(bench: CacheBench, name: string): Promise<number> {
  return Number(await readFile(join(bench.folder, name), 'utf8'));
}

function startInBackground(name: string): string {
  return `sleep 300 >/dev/null 2>&1 & echo $! > ${name}`;
}

/** What the tool results of a request say, oldest first. */
function toolResults(request: SeenRequest | undefined): readonly string[] {
  const messages = request?.json?.['messages'] as readonly { readonly role: string; readonly content: string }[];
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
}

test('R1 a soft release leaves the background processes of its session running', async () => {
  await using bench = await openCacheBench({ script: runsWhatIsSaid, limits: { maxAgents: 1 } });
  const { sessionId } = await bench.say('a', { text: startInBackground('a.pid') });
  const pid = await readPid(bench, 'a.pid');

  await bench.say('b', { text: 'true' });
  await bench.whenNoted('close a');
  const isLeft = await isRunning(pid);
  await bench.cache.close(sessionId);
  await whenGone(pid);

  assert.equal(isLeft, true);
});

test('R4 a hard close ends the processes of its session and no other, and closes its client', async () => {
  await using bench = await openCacheBench({ script: runsWhatIsSaid });
  const first = await bench.say('a', { text: startInBackground('a.pid') });
  const other = await bench.say('b', { text: startInBackground('b.pid') });
  const [ofFirst, ofOther] = [await readPid(bench, 'a.pid'), await readPid(bench, 'b.pid')];

  await bench.cache.close(first.sessionId);
  await bench.whenNoted('close a');
  await whenGone(ofFirst);
  const isOtherLeft = await isRunning(ofOther);
  await bench.cache.close(other.sessionId);
  await whenGone(ofOther);

  assert.equal(isOtherLeft, true);
});

for (const [what, evict] of [
  ['the cap', (bench: CacheBench) => bench.say('b', { text: 'true' })],
  [
    'the idle sweep',
    (bench: CacheBench) => {
      (bench.clock as ManualClock).advance(2 * 60 * 60 * 1000);
      assert.equal(bench.cache.sweepIdle(), 1);
    },
  ],
] as const) {
  test(`R2 R5 after an eviction by ${what} a new agent finds the shell where it was, and the whole conversation`, async () => {
    const clock = new ManualClock();
    await using bench = await openCacheBench({ script: runsWhatIsSaid, limits: { maxAgents: 1 }, clock });
    const first = await bench.say('a', { text: 'mkdir -p deep/down && cd deep/down && export COLOUR=blue' });

    await evict(bench);
    await bench.whenNoted('close a');
    const second = await bench.say('a', { text: 'pwd; echo "the colour is $COLOUR"' });

    assert.notEqual(second, first);
    const last = bench.server.requests.at(-1);
    assert.match(toolResults(last).at(-1) ?? '', /deep\/down\nthe colour is blue/);
    assert.match(last?.body ?? '', /mkdir -p deep\/down/);
    await bench.cache.close(second.sessionId);
  });
}

test('R5 a new agent of the same session sends on from the very bytes of the last request', async () => {
  await using bench = await openCacheBench();
  await bench.say('a', { text: 'one' });
  bench.cache.evictAll();
  await bench.say('a', { text: 'two' });

  const [before, after] = bench.server.requests.map(({ json }) => JSON.stringify(json?.['messages']));
  assert.ok(after?.startsWith(before?.slice(0, -1) ?? 'nothing'));
});

test('R3 a soft release closes the model client: the server sees its connections close, and it can be collected', async () => {
  await using bench = await openCacheBench();
  await bench.say('a');
  const wasOpen = bench.server.openConnections;

  bench.cache.evictAll();
  await bench.server.whenDisconnected();

  assert.equal(wasOpen, 1);
  assert.equal(await isCollected(bench.clients[0]), true);
});

test('R3 the client of an agent that stays in the cache stays', async () => {
  await using bench = await openCacheBench();
  await bench.say('a');

  assert.equal(await isCollected(bench.clients[0]), false);
  assert.equal(bench.server.openConnections, 1);
});

/** Whether something that nobody ought to hold is gone after so many collections. */
async function isCollected(held: WeakRef<object> | undefined): Promise<boolean> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let round = 0; round < 20; round += 1) {
    // In a job of its own: a reference that was looked at is held to the end of the job.
    await nextTick();
    collect();
    await nextTick();
    if (held?.deref() === undefined) return true;
  }
  return false;
}

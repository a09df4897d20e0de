import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Agent } from '../../src/agents/agent.ts';
import type { Json } from '../../src/base/json.ts';
import { isJsonObject } from '../../src/base/json.ts';
import type { StepEvent } from '../../src/model/turn.ts';
import { delays, failsWith, says } from '../support/model-script.ts';
import type { SeenRequest } from '../support/model-script.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { openTestHouse } from '../support/test-house.ts';
import { runtimeAt } from './agent-bench.ts';
import { openCacheBench } from './cache-bench.ts';

/** System prompt and tools of a request, byte for byte. */
function headOf(request: SeenRequest | undefined): Json {
  const messages = request?.json?.['messages'];
  const system = Array.isArray(messages) ? (messages[0] as Json) : null;
  assert.ok(isJsonObject(system) && system['role'] === 'system');
  return [system, request?.json?.['tools'] ?? null];
}

test('L1 the second message of a session is served by the same agent', async () => {
  await using bench = await openCacheBench();

  const first = await bench.say('a');
  const second = await bench.say('a');

  assert.equal(second, first);
  assert.deepEqual(bench.notes, ['build a']);
});

test('L1 a terminal session is served by one agent over all its turns', async () => {
  await using house = await openTestHouse({ script: () => says('Hello.') });

  for (const text of ['one', 'two', 'three']) await house.say(text);

  // Every agent has connections of its own.
  assert.deepEqual(
    house.server.requests.map(({ connection }) => connection),
    [1, 1, 1],
  );
});

test('two leases at once share one build', async () => {
  await using bench = await openCacheBench();
  const session = await bench.session('a');

  const [left, right] = await Promise.all([bench.cache.lease(session), bench.cache.lease(session)]);

  assert.equal(left.agent, right.agent);
  assert.deepEqual(bench.notes, ['build a']);
  left[Symbol.dispose]();
  right[Symbol.dispose]();
});

test('a session that is to ask another model gets another agent, and the one before lets go of its client; the task stays', async () => {
  await using bench = await openCacheBench();
  await bench.say('a');

  await bench.session('a', 'second');
  await bench.say('a');
  await bench.whenNoted('close a');

  assert.deepEqual(bench.notes, ['build a', 'build a', 'close a']);
});

test('an agent that was replaced while a turn ran on it is let go of when its last lease ends, not before', async () => {
  await using bench = await openCacheBench();
  const held = await bench.cache.lease(await bench.session('a'));
  const shared = await bench.cache.lease(await bench.session('a'));
  await bench.run(held.agent);

  // Idle again: that the session is in use is known by the one before it alone.
  (await bench.cache.lease(await bench.session('a', 'second')))[Symbol.dispose]();
  held[Symbol.dispose]();
  await bench.run(shared.agent);
  const whileLeased = [...bench.notes];
  const closing = await bench.cache.close(shared.agent.sessionId);
  shared[Symbol.dispose]();
  await bench.whenNoted('close a');

  assert.deepEqual(whileLeased, ['build a', 'build a']);
  assert.equal(closing, 'in-use');
  assert.deepEqual(bench.notes, ['build a', 'build a', 'close a']);
});

test('a build that failed is tried again for the next turn', async () => {
  await using bench = await openCacheBench();
  const session = await bench.session('a');
  bench.fault = new Error('no room');

  await assert.rejects(bench.cache.lease(session), { message: 'no room' });
  bench.fault = undefined;
  using lease = await bench.cache.lease(session);

  assert.equal(lease.agent.sessionId, session.id);
  assert.deepEqual(bench.notes, ['build a', 'build a']);
});

test('a slow build that was overtaken by another signature does not take its place', async () => {
  await using bench = await openCacheBench();
  const gate = Promise.withResolvers<void>();
  bench.holdBuilds(gate.promise);
  const slow = bench.cache.lease(await bench.session('a'));
  await bench.whenNoted('build a');
  bench.holdBuilds(Promise.resolve());

  const next = await bench.cache.lease(await bench.session('a', 'second'));
  gate.resolve();
  const old = await slow;
  using third = await bench.cache.lease(await bench.session('a'));

  assert.equal(third.agent, next.agent);
  assert.notEqual(old.agent, next.agent);
  assert.deepEqual(await bench.cached(), ['a']);
  for (const lease of [old, next]) lease[Symbol.dispose]();
});

test('L3 a reset evicts the agent of its session: the next message builds another', async () => {
  await using bench = await openCacheBench();
  const first = await bench.say('a');

  const closing = await bench.cache.close(first.sessionId);
  await bench.whenNoted('close a');
  const second = await bench.say('a');

  assert.equal(closing, 'closed');
  assert.notEqual(second, first);
  assert.deepEqual(bench.notes.toSorted(), ['build a', 'build a', 'close a', 'end task a']);
});

test('whoever goes back to a session that is still being closed waits for that, so that nothing of theirs ends with it', async () => {
  await using bench = await openCacheBench();
  const { sessionId } = await bench.say('a');
  const gate = Promise.withResolvers<void>();
  bench.holdEndings(gate.promise);
  const closings = [bench.cache.close(sessionId), bench.cache.close(sessionId)];
  await bench.whenNoted('end task a');

  const leasing = bench.cache.lease(await bench.session('a')).then((lease) => {
    bench.notes.push('leased a');
    return lease;
  });
  await bench.say('other');
  gate.resolve();
  using _lease = await leasing;

  assert.deepEqual(await Promise.all(closings), ['closed', 'closed']);
  const order = bench.notes.filter((note) => note !== 'close a');
  assert.deepEqual(order, ['build a', 'end task a', 'build other', 'build a', 'leased a']);
});

test('a task that does not end is not waited for without end: the log says so, and the session can be gone back to', async () => {
  const clock = new ManualClock();
  await using bench = await openCacheBench({ clock });
  const { sessionId } = await bench.say('a');
  const gate = Promise.withResolvers<void>();
  bench.holdEndings(gate.promise);
  const closing = bench.cache.close(sessionId);
  await bench.whenNoted('end task a');

  clock.advance(60_000);
  const outcome = await closing;
  using lease = await bench.cache.lease(await bench.session('a'));
  gate.resolve();

  assert.equal(outcome, 'unended');
  assert.equal(lease.agent.sessionId, sessionId);
  assert.ok(bench.logged.includes('warn: what a session has running does not end'));
});

test('L4 evicting one session leaves every other cached', async () => {
  await using bench = await openCacheBench();
  const gone = await bench.say('gone');
  const [left, right] = [await bench.say('left'), await bench.say('right')];

  await bench.cache.close(gone.sessionId);

  assert.deepEqual(await bench.cached(), ['left', 'right']);
  assert.deepEqual([await bench.say('left'), await bench.say('right')], [left, right]);
});

test('after all agents were let go of, a session that is closed still ends its task', async () => {
  await using bench = await openCacheBench();
  const { sessionId } = await bench.say('a');

  bench.cache.evictAll();
  await bench.cache.close(sessionId);
  await bench.cache.releaseAll();

  assert.deepEqual(bench.notes.toSorted(), ['build a', 'close a', 'end task a']);
});

test('L6 system prompt and tools are the same bytes over every turn of an agent, and of one built anew', async () => {
  await using bench = await openCacheBench();
  for (const text of ['one', 'two']) await bench.say('a', { text });

  bench.cache.evictAll();
  await bench.say('a', { text: 'three' });

  const heads = bench.server.requests.map(headOf).map((head) => JSON.stringify(head));
  assert.deepEqual(
    bench.notes.filter((note) => note === 'build a'),
    ['build a', 'build a'],
  );
  assert.equal(heads.length, 3);
  assert.equal(new Set(heads).size, 1);
});

test('L6 an agent that is built anew speaks with the bytes that the session was frozen with, whatever it would say now', async () => {
  await using bench = await openCacheBench();
  await bench.say('a');
  const session = await bench.session('a');
  const frozen = await bench.store.sessions.frozenPrompt(session.id);
  assert.ok(frozen);
  await bench.store.sessions.freeze(session.id, { ...frozen, system: 'as it was when the session began' });

  bench.cache.evictAll();
  await bench.say('a');

  assert.match(JSON.stringify(headOf(bench.server.requests[1])), /as it was when the session began/);
});

test('L7 each message is watched by its own watcher alone, which may be absent; the agent is the same', async () => {
  await using bench = await openCacheBench();
  const seen: Record<string, StepEvent[]> = { first: [], third: [] };
  const settled: string[] = [];
  const settleAs = (name: string) => (): Promise<void> => Promise.resolve(void settled.push(name));
  const agents: Agent[] = [];

  agents.push(await bench.say('a', { onEvent: (event) => seen['first']?.push(event), settleWith: settleAs('first') }));
  const afterFirst = seen['first']?.length;
  {
    using lease = await bench.cache.lease(await bench.session('a'));
    agents.push(lease.agent);
    const done = Promise.withResolvers<void>();
    const settleWith = (): Promise<void> => {
      done.resolve();
      return settleAs('second')();
    };
    const unwatched = await bench.begin(lease.agent, { settleWith });
    // It is begun, and then nobody asks for what happens in it.
    await unwatched.next();
    await done.promise;
  }
  agents.push(await bench.say('a', { onEvent: (event) => seen['third']?.push(event), settleWith: settleAs('third') }));

  assert.equal(new Set(agents).size, 1);
  assert.equal(seen['first']?.length, afterFirst);
  assert.deepEqual(
    ['first', 'third'].map((name) => turnsOf(seen[name] ?? []).size),
    [1, 1],
  );
  assert.ok(['first', 'third'].every((name) => seen[name]?.some(({ type }) => type === 'text.delta')));
  assert.deepEqual(settled, ['first', 'second', 'third']);
});

function turnsOf(events: readonly StepEvent[]): ReadonlySet<string> {
  return new Set(events.flatMap((event) => (event.type === 'entry' ? [event.logged.turnId] : [])));
}

test('L8 a turn that falls back evicts its agent and keeps its client; the next message gets a new one, from the primary', async () => {
  const gate = Promise.withResolvers<void>();
  const refused = failsWith(401, { error: { message: 'no such key' } });
  await using bench = await openCacheBench({
    script: [says('Hello.'), refused, delays(gate.promise, says('From the stand-in.')), says('From the primary.')],
    fallback: (origin) => [runtimeAt(`${origin}/v1`, 'stand-in')],
  });
  await bench.say('other');

  const lease = await bench.cache.lease(await bench.session('a'));
  const running = bench.run(lease.agent);
  await bench.server.whenRequested(3);
  const duringTurn = { cached: await bench.cached(), notes: [...bench.notes] };
  gate.resolve();
  const end = await running;
  lease[Symbol.dispose]();
  const next = await bench.say('a');

  assert.deepEqual(duringTurn, { cached: ['other'], notes: ['build other', 'build a'] });
  assert.deepEqual(end, { type: 'replied', text: 'From the stand-in.', ending: 'complete' });
  assert.notEqual(next, lease.agent);
  assert.deepEqual(
    bench.server.requests.map(({ json }) => json?.['model']),
    ['other', 'a', 'stand-in', 'a'],
  );
  assert.deepEqual(await bench.cached(), ['other', 'a']);
});

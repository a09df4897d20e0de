import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import type { Runtime } from '../../src/model/runtime.ts';
import { InstantClock } from '../support/instant-clock.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { failsWith, says } from '../support/model-script.ts';
import type { ModelStep, SeenRequest } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import type { ModelServer } from '../support/model-server.ts';
import { keyed, openAgentBench, runtimeAt } from './agent-bench.ts';
import type { AgentBench } from './agent-bench.ts';

const limited = failsWith(429, { error: { message: 'slow down' } });

function keyOf({ headers }: SeenRequest): string {
  return headers['authorization']?.replace('Bearer key in ', '') ?? 'no key';
}

function keysSeen(server: ModelServer): readonly string[] {
  return server.requests.map(keyOf);
}

/** A server that refuses some keys and answers all others. */
function refusing(refusals: Readonly<Record<string, ModelStep>>): Promise<ModelServer> {
  return startModelServer((request) => refusals[keyOf(request)] ?? says(keyOf(request)));
}

function withKeys(server: ModelServer, ...names: readonly string[]): readonly Runtime[] {
  return names.map((name) => runtimeAt(server.baseUrl, 'first', keyed(name)));
}

async function openBench(runtimes: readonly Runtime[], clock = new ManualClock()): Promise<AgentBench> {
  const [primary, ...rest] = runtimes;
  assert.ok(primary);
  return await openAgentBench({ chain: [primary, ...rest], clock, network: () => systemClock });
}

async function replyOf(bench: AgentBench): Promise<string> {
  const end = await bench.run();
  return end.type === 'replied' ? end.text : JSON.stringify(end);
}

async function decisions(bench: AgentBench): Promise<readonly string[]> {
  return (await bench.log()).flatMap((entry) => (entry.type === 'step.failed' ? [entry.next.type] : []));
}

for (const status of [401, 402, 403, 429]) {
  test(`another key takes over at once from one that is answered with ${status}`, async () => {
    await using server = await refusing({ KEY: failsWith(status, { error: { message: 'no' } }) });
    await using bench = await openBench(withKeys(server, 'KEY', 'KEY_2'));

    const reply = await replyOf(bench);

    assert.equal(reply, 'KEY_2');
    assert.deepEqual(keysSeen(server), ['KEY', 'KEY_2']);
    assert.deepEqual(bench.notices, [`the model's server answered ${status}: no; key KEY_2 takes over`]);
  });
}

test('a key that rests is passed over silently, and is the first again when its rest is over', async () => {
  const clock = new ManualClock();
  await using server = await startModelServer((request, index) => (index === 0 ? limited : says(keyOf(request))));
  await using bench = await openBench(withKeys(server, 'KEY', 'KEY_2'), clock);

  const replies = [await replyOf(bench), await replyOf(bench)];
  clock.advance(60_000);
  replies.push(await replyOf(bench));

  assert.deepEqual(replies, ['KEY_2', 'KEY_2', 'KEY']);
  assert.equal(bench.notices.length, 1);
  assert.deepEqual(bench.notes, ['build first', 'build first']);
});

test('keys go round before anything is waited for, and then the next runtime answers', async () => {
  const clock = new ManualClock();
  const patience = failsWith(429, { error: { message: 'slow down' } }, { 'retry-after': '90' });
  await using server = await refusing({ KEY: patience, KEY_2: patience, KEY_3: patience });
  await using other = await refusing({});
  const standIn = runtimeAt(other.baseUrl, 'second', keyed('OTHER'));
  await using bench = await openBench([...withKeys(server, 'KEY', 'KEY_2', 'KEY_3'), standIn], clock);

  const replies = [await replyOf(bench), await replyOf(bench)];

  assert.deepEqual(replies, ['OTHER', 'OTHER']);
  assert.deepEqual(keysSeen(server), ['KEY', 'KEY_2', 'KEY_3']);
  assert.deepEqual(await decisions(bench), ['rotate', 'rotate', 'fall-back']);
  assert.equal(bench.notices.at(-1), 'custom:first rests for 90 s after a rate limit; custom:second answers');
});

test('keys with short rests are not asked in a circle', async () => {
  const clock = new ManualClock();
  const shortly = failsWith(429, { error: { message: 'slow down' } }, { 'retry-after': '0' });
  await using server = await refusing({ KEY: shortly, KEY_2: shortly });
  await using other = await refusing({});
  const standIn = runtimeAt(other.baseUrl, 'second', keyed('OTHER'));
  await using bench = await openBench([...withKeys(server, 'KEY', 'KEY_2'), standIn], clock);

  const run = replyOf(bench);
  for (const waitMs of [1000, 2000, 4000]) {
    await clock.whenSomeoneSleeps();
    clock.advance(waitMs);
  }

  assert.equal(await run, 'OTHER');
  assert.deepEqual(keysSeen(server), ['KEY', 'KEY_2', 'KEY_2', 'KEY_2', 'KEY_2']);
});

test('a key whose rest ended during the turn takes over again', async () => {
  const clock = new ManualClock();
  await using server = await startModelServer((request, index) => {
    if (index === 0) return limited;
    if (index !== 2) return says(keyOf(request));
    clock.advance(60_000);
    return limited;
  });
  await using bench = await openBench(withKeys(server, 'KEY', 'KEY_2'), clock);

  const replies = [await replyOf(bench), await replyOf(bench)];

  assert.deepEqual(replies, ['KEY_2', 'KEY']);
  assert.deepEqual(keysSeen(server), ['KEY', 'KEY_2', 'KEY_2', 'KEY']);
});

test('a key is sent to no address but its own, whatever fails', async () => {
  const refused = failsWith(401, { error: { message: 'no' } });
  await using server = await refusing({ KEY: refused, KEY_2: refused });
  await using other = await refusing({ OTHER: refused });
  await using last = await refusing({});
  await using bench = await openBench([
    ...withKeys(server, 'KEY', 'KEY_2'),
    runtimeAt(other.baseUrl, 'second', keyed('OTHER')),
    runtimeAt(last.baseUrl, 'third'),
  ]);

  const reply = await replyOf(bench);

  assert.equal(reply, 'no key');
  assert.deepEqual([keysSeen(server), keysSeen(other), keysSeen(last)], [['KEY', 'KEY_2'], ['OTHER'], ['no key']]);
});

test('the same model at another address is a fallback with a key of its own, not another key', async () => {
  const refused = failsWith(401, { error: { message: 'no' } });
  await using server = await refusing({ KEY: refused });
  await using mirror = await refusing({});
  await using bench = await openBench([...withKeys(server, 'KEY'), ...withKeys(mirror, 'MIRROR')]);

  const reply = await replyOf(bench);

  assert.equal(reply, 'MIRROR');
  assert.deepEqual(await decisions(bench), ['fall-back']);
  assert.deepEqual([keysSeen(server), keysSeen(mirror)], [['KEY'], ['MIRROR']]);
});

test('a key that worked again rests for a short time when it is limited the next time', async () => {
  const clock = new ManualClock();
  await using server = await startModelServer((request, index) =>
    [0, 3].includes(index) ? limited : says(keyOf(request)),
  );
  await using bench = await openBench(withKeys(server, 'KEY', 'KEY_2'), clock);

  const replies = [await replyOf(bench)];
  clock.advance(60_000);
  replies.push(await replyOf(bench), await replyOf(bench));
  clock.advance(60_000);
  replies.push(await replyOf(bench));

  assert.deepEqual(replies, ['KEY_2', 'KEY', 'KEY_2', 'KEY']);
});

test('T2 a turn that changed keys is still at its first choice, and gets its fresh connection', async () => {
  await using server = await startModelServer((request) =>
    keyOf(request) === 'KEY' ? limited : { plan: () => [{ type: 'stall' }] },
  );
  const network = new ManualClock();
  await using bench = await openAgentBench({
    chain: [
      runtimeAt(server.baseUrl, 'first', { ...keyed('KEY'), place: 'remote' }),
      runtimeAt(server.baseUrl, 'first', { ...keyed('KEY_2'), place: 'remote' }),
    ],
    clock: new InstantClock(),
    network: ({ keyName }) => (keyName === 'KEY' ? systemClock : network),
  });

  const run = bench.run();
  for (const request of [2, 3, 4, 5, 6]) {
    await server.whenRequested(request);
    network.advance(1_800_000);
  }
  await run;

  assert.deepEqual(await decisions(bench), ['rotate', 'retry', 'retry', 'retry', 'recover', 'give-up']);
});

test('where every key is refused, the turn ends with the name of the variable to look at', async () => {
  const refused = failsWith(401, { error: { message: 'no' } });
  await using server = await refusing({ KEY: refused, KEY_2: refused });
  await using bench = await openBench(withKeys(server, 'KEY', 'KEY_2'));

  const end = await bench.run();

  assert.deepEqual(end, { type: 'failed', reason: "the model's server answered 401: no; check the key in KEY_2" });
});

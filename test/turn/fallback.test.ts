import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { JsonObject } from '../../src/base/json.ts';
import { callsTool, delays, failsWith, says } from '../support/model-script.ts';
import type { ModelScript } from '../support/model-script.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { startModelServer } from '../support/model-server.ts';
import type { ModelServer } from '../support/model-server.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';

const refused = failsWith(401, { error: { message: 'no such key' } });

function entryFor(server: ModelServer, model: string): JsonObject {
  return { provider: 'custom', base_url: `${server.origin}/v1`, model };
}

function modelsAsked(server: ModelServer): readonly unknown[] {
  return server.requests.map(({ json }) => json?.['model']);
}

/** What was decided after each failure, and which runtime each request went to. */
async function pathOf(house: TestHouse): Promise<readonly string[]> {
  return (await house.log()).flatMap(({ entry }): readonly string[] => {
    if (entry.type === 'step.asked') return [entry.runtime];
    return entry.type === 'step.failed' ? [entry.next.type] : [];
  });
}

function failsFirst(times: number): ModelScript {
  return (_request, index) => (index < times ? refused : says(`primary ${index}`));
}

const answersSecondOnly: ModelScript = (_request, index) => (index === 1 ? says('primary') : refused);

test('F1 the turn after a fallback is answered by the primary again, at its address and with its model', async () => {
  await using standIn = await startModelServer(() => says('stand-in'));
  await using house = await openTestHouse({
    script: failsFirst(1),
    settings: { fallback: entryFor(standIn, 'second') },
  });

  const first = await house.say('hello');
  const second = await house.say('and again');

  assert.deepEqual([first, second], ['stand-in', 'primary 1']);
  assert.deepEqual(modelsAsked(house.server), ['scripted', 'scripted']);
  assert.deepEqual(modelsAsked(standIn), ['second']);
  assert.deepEqual(await pathOf(house), ['custom:scripted', 'fall-back', 'custom:second', 'custom:scripted']);
});

test('F12 one and the same agent falls back, comes back, and can fall back again', async () => {
  await using standIn = await startModelServer(() => says('stand-in'));
  await using house = await openTestHouse({
    script: answersSecondOnly,
    settings: { fallback: entryFor(standIn, 'second') },
  });

  const replies = [await house.say('one'), await house.say('two'), await house.say('three')];

  assert.deepEqual(replies, ['stand-in', 'primary', 'stand-in']);
  assert.equal(new Set(house.server.requests.map(({ connection }) => connection)).size, 1);
});

test('F7 each turn has the whole chain again, in order, one entry for each failure', async () => {
  await using second = await startModelServer(() => refused);
  await using third = await startModelServer(() => says('third'));
  const fallback = [entryFor(second, 'second'), entryFor(third, 'third')];
  await using house = await openTestHouse({ script: () => refused, settings: { fallback } });

  await house.say('hello');
  await house.say('and again');

  const oneTurn = ['custom:scripted', 'fall-back', 'custom:second', 'fall-back', 'custom:third'];
  assert.deepEqual(await pathOf(house), [...oneTurn, ...oneTurn]);
  // The restore let go of their clients, so the second turn had to connect anew.
  assert.deepEqual(
    third.requests.map(({ connection }) => connection),
    [1, 2],
  );
});

test('F11 the restore happens at the start of every turn, not of every call', async () => {
  await using standIn = await startModelServer([callsTool('read_file', { path: 'missing.txt' }), says('stand-in')]);
  await using house = await openTestHouse({
    script: failsFirst(1),
    settings: { fallback: entryFor(standIn, 'second') },
  });

  const reply = await house.say('look');

  assert.equal(reply, 'stand-in');
  assert.equal(house.server.requests.length, 1);
  assert.equal(standIn.requests.length, 2);
});

test('what the primary saw and what the stand-in sees is the same conversation', async () => {
  await using standIn = await startModelServer(() => says('stand-in'));
  await using house = await openTestHouse({
    script: failsFirst(1),
    settings: { fallback: entryFor(standIn, 'second') },
  });

  await house.say('hello');

  assert.deepEqual(standIn.requests[0]?.json?.['messages'], house.server.requests[0]?.json?.['messages']);
  assert.deepEqual(standIn.requests[0]?.json?.['tools'], house.server.requests[0]?.json?.['tools']);
});

test('F4 a credential is sent only to the server that it is configured for', async () => {
  await using standIn = await startModelServer(() => says('stand-in'));
  const fallback = { ...entryFor(standIn, 'second'), key_env: 'SECOND_KEY' };
  await using house = await openTestHouse({
    script: failsFirst(1),
    settings: { fallback },
    env: { CUSTOM_API_KEY: 'key-of-the-first', SECOND_KEY: 'key-of-the-second' },
  });

  await house.say('hello');

  assert.equal(house.server.requests[0]?.headers['authorization'], 'Bearer key-of-the-first');
  assert.equal(standIn.requests[0]?.headers['authorization'], 'Bearer key-of-the-second');
});

test('F4 the usual key of a vendor goes to no address but its own, unless the settings name it for that address', async () => {
  await using foreign = await startModelServer(() => says('foreign'));
  const fallback = { provider: 'openai', base_url: `${foreign.origin}/v1`, model: 'gpt-5.4' };
  const named = { ...fallback, key_env: 'OPENAI_API_KEY' };
  const env = { OPENAI_API_KEY: 'key-of-openai' };
  await using careful = await openTestHouse({ script: () => refused, settings: { fallback }, env });
  await using outspoken = await openTestHouse({ script: () => refused, settings: { fallback: named }, env });

  await careful.say('hello');
  const seen = foreign.requests.length;
  await outspoken.say('hello');

  assert.equal(seen, 0);
  assert.match(careful.warnings.join(), /a fallback is left out: model\.base_url is not openai's own address/);
  assert.equal(foreign.requests[0]?.headers['authorization'], 'Bearer key-of-openai');
});

test('a runtime that is the same as the failing one is passed over', async () => {
  await using standIn = await startModelServer(() => says('stand-in'));
  await using house = await openTestHouse({ script: [refused] });
  const same = { provider: 'custom', base_url: `${house.server.origin}/v1`, model: 'scripted' };
  await using other = await openTestHouse({
    script: [refused],
    settings: {
      model: { provider: 'custom', base_url: `${house.server.origin}/v1`, default: 'scripted' },
      fallback: [same, entryFor(standIn, 'second')],
    },
  });

  const reply = await other.say('hello');

  assert.equal(reply, 'stand-in');
  assert.equal(house.server.requests.length, 1);
});

test('the same model on another machine is another runtime, and stands in', async () => {
  await using second = await startModelServer(() => says('from the second machine'));
  await using house = await openTestHouse({ script: () => refused });
  await using other = await openTestHouse({
    script: [],
    settings: {
      model: { provider: 'vllm', base_url: `${house.server.origin}/v1`, default: 'qwen' },
      fallback: { provider: 'vllm', base_url: `${second.origin}/v1`, model: 'qwen' },
    },
  });

  const reply = await other.say('hello');

  assert.equal(reply, 'from the second machine');
  assert.deepEqual([house.server.requests.length, second.requests.length], [1, 1]);
});

test('a fallback that cannot be used is left out, and its user is told', async () => {
  await using house = await openTestHouse({
    script: [says('hi')],
    settings: { fallback: { provider: 'anthropic', model: 'claude' } },
  });

  assert.deepEqual(house.warnings, [
    'a fallback is left out: the provider anthropic has no key: set ANTHROPIC_API_KEY',
  ]);
});

test('a primary that asked for rest is left alone for that long, and the notice says so', async () => {
  const clock = new ManualClock(Date.now());
  await using standIn = await startModelServer(() => says('stand-in'));
  const limited = failsWith(429, { error: { message: 'slow down' } }, { 'retry-after': '90' });
  await using house = await openTestHouse({
    script: (_request, index) => (index === 0 ? limited : says('primary')),
    settings: { fallback: entryFor(standIn, 'second') },
    clock,
  });

  const first = await house.say('one');
  const whileResting = await house.say('two');
  clock.advance(91_000);
  const rested = await house.say('three');

  assert.deepEqual([first, whileResting, rested], ['stand-in', 'stand-in', 'primary']);
  const notices = house.events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  assert.match(notices[0] ?? '', /answered 429: .*; going on with custom:second$/);
  assert.match(notices[1] ?? '', /^custom:scripted rests for 90 s after a rate limit; custom:second answers$/);
});

/** An address where nothing listens. */
async function closedPort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Says something and lets each of these waits pass as soon as it is announced. */
async function passWaits(house: TestHouse, clock: ManualClock, waits: readonly number[]): Promise<void> {
  await house.admit('hello');
  const idle = house.whenIdle();
  for (const waitMs of waits) {
    await house.when((event) => event.type === 'notice' && event.text.endsWith(`in ${waitMs / 1000} s`));
    await clock.whenSomeoneSleeps();
    clock.advance(waitMs);
  }
  await idle;
}

test('T1 T5 a server that cannot be reached gets its retries, one try on a fresh connection, and then the stand-in answers', async () => {
  const clock = new ManualClock(Date.now());
  await using standIn = await startModelServer(() => says('stand-in'));
  const model = { provider: 'custom', base_url: `http://127.0.0.1:${await closedPort()}/v1`, default: 'gone' };
  await using house = await openTestHouse({
    script: [],
    settings: { model, fallback: entryFor(standIn, 'second') },
    clock,
  });

  await passWaits(house, clock, [1000, 2000, 4000, 6000]);

  assert.equal(house.shown.at(-1)?.text, 'stand-in');
  const asked = 'custom:gone';
  assert.deepEqual(await pathOf(house), [
    asked,
    'retry',
    asked,
    'retry',
    asked,
    'retry',
    asked,
    'recover',
    asked,
    'fall-back',
    'custom:second',
  ]);
});

test('T2 a stand-in that cannot be reached gets its retries and no fresh connection', async () => {
  const clock = new ManualClock(Date.now());
  await using third = await startModelServer(() => says('third'));
  const gone = { provider: 'custom', base_url: `http://127.0.0.1:${await closedPort()}/v1`, model: 'gone' };
  const fallback = [gone, entryFor(third, 'third')];
  await using house = await openTestHouse({ script: () => refused, settings: { fallback }, clock });

  await passWaits(house, clock, [1000, 2000, 4000]);

  const [asked, then] = ['custom:gone', 'retry'];
  const atStandIn = [asked, then, asked, then, asked, then, asked, 'fall-back', 'custom:third'];
  assert.deepEqual(await pathOf(house), ['custom:scripted', 'fall-back', ...atStandIn]);
});

for (const provider of ['openrouter', 'nous', 'huggingface']) {
  test(`T4 ${provider} keeps its own connections: where it cannot be reached a fresh one is not tried`, async () => {
    const clock = new ManualClock(Date.now());
    await using standIn = await startModelServer(() => says('stand-in'));
    const base_url = `http://127.0.0.1:${await closedPort()}/v1`;
    const model = { provider, base_url, default: 'm', key_env: 'OWN_KEY' };
    const settings = { model, fallback: entryFor(standIn, 'second') };
    await using house = await openTestHouse({ script: [], settings, env: { OWN_KEY: 'key' }, clock });

    await passWaits(house, clock, [1000, 2000, 4000]);

    const [asked, then] = [`${provider}:m`, 'retry'];
    const path = [asked, then, asked, then, asked, then, asked, 'fall-back', 'custom:second'];
    assert.deepEqual(await pathOf(house), path);
  });
}

test('a fallback survives a restart in the middle of the turn', async () => {
  const gate = Promise.withResolvers<void>();
  await using standIn = await startModelServer((_request, index) =>
    index === 0 ? delays(gate.promise, says('lost')) : says('stand-in'),
  );
  await using house = await openTestHouse({
    script: failsFirst(9),
    settings: { fallback: entryFor(standIn, 'second') },
  });

  await house.admit('hello');
  await standIn.whenRequested(1);
  await house.restart();
  house.gateway.resume((await house.session()).id);
  await house.whenIdle();
  gate.resolve();

  assert.equal(house.shown.at(-1)?.text, 'stand-in');
  assert.equal(house.server.requests.length, 1);
});

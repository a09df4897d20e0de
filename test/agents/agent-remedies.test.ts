import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { answersAnthropic, callsToolsAnthropic, saysAnthropic, thinksAnthropic } from '../support/anthropic-script.ts';
import { InstantClock } from '../support/instant-clock.ts';
import { failsWith, says } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { callsToolResponses, saysResponses } from '../support/responses-script.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';
import { openAgentBench, runtimeAt } from './agent-bench.ts';

const invalid = 'invalid_request_error';
const staleSignature = failsWith(400, {
  type: 'error',
  error: { type: invalid, message: 'messages.1.content.0: Invalid `signature` in `thinking` block' },
});
const staleItem = failsWith(400, { error: { type: invalid, code: 'invalid_encrypted_content', message: 'not ours' } });

async function remediesIn(house: TestHouse): Promise<readonly unknown[]> {
  return (await house.log()).flatMap(({ entry }) => (entry.type === 'step.failed' ? [entry.next] : []));
}

test('thoughts that the server does not take back are left out from then on, also after a restart', async () => {
  const thought = { type: 'thinking', thinking: 'Hm.', signature: 'of yesterday' } as const;
  const later = { type: 'thinking', thinking: 'Aha.', signature: 'of today' } as const;
  await using house = await openTestHouse({
    apiMode: 'anthropic_messages',
    script: [
      thinksAnthropic([thought], 'one'),
      staleSignature,
      thinksAnthropic([later], 'two'),
      saysAnthropic('three'),
    ],
  });

  const replies = [await house.say('first'), await house.say('second')];
  await house.restart();
  replies.push(await house.say('third'));

  assert.deepEqual(replies, ['one', 'two', 'three']);
  assert.deepEqual(await remediesIn(house), [{ type: 'forget-reasoning', of: 'custom' }]);
  const sent = house.server.requests.map(({ body }) => [body.includes('of yesterday'), body.includes('of today')]);
  assert.deepEqual(sent, [
    [false, false],
    [true, false],
    [false, false],
    [false, true],
  ]);
  const causes = (await house.log()).flatMap(({ entry }) =>
    entry.type === 'step.asked' ? [entry.change?.cause ?? 'extends'] : [],
  );
  assert.deepEqual(causes, ['first', 'extends', 'reasoning', 'extends']);
});

test('thoughts that are refused twice in one call end it with advice', async () => {
  await using house = await openTestHouse({
    apiMode: 'codex_responses',
    script: (_request, index) =>
      index === 0 ? callsToolResponses('read_file', { path: 'missing.txt' }, { reasoning: 'Hm.' }) : staleItem,
  });

  const reply = await house.say('look');

  assert.match(reply, /answered 400: not ours; begin anew with \/new/);
  assert.equal(house.server.requests.length, 3);
  assert.equal(house.server.requests[1]?.body.includes('encrypted_content":"'), true);
  assert.equal(house.server.requests[2]?.body.includes('encrypted_content":"'), false);
});

test('a conversation that is too long for the model is shortened at most three times before the turn ends', async () => {
  await using server = await startModelServer(() => failsWith(413));
  await using bench = await openAgentBench({
    chain: [runtimeAt(server.baseUrl, 'first')],
    clock: new InstantClock(),
    network: () => systemClock,
  });

  const end = await bench.run();

  const path = (await bench.log()).flatMap((entry) => (entry.type === 'step.failed' ? [entry.next.type] : []));
  assert.equal(path.at(-1), 'give-up');
  assert.ok(path.length <= 4, path.join());
  assert.match(end.type === 'failed' ? end.reason : end.type, /too long for the model, .*begin anew with \/new/);
});

test('where shortening is switched off, a conversation that is too long ends the turn and says so', async () => {
  await using server = await startModelServer(() => failsWith(413));
  await using bench = await openAgentBench({
    chain: [runtimeAt(server.baseUrl, 'first')],
    clock: new InstantClock(),
    network: () => systemClock,
    compaction: { isAutomatic: false },
  });

  const end = await bench.run();

  assert.equal(server.requests.length, 1);
  assert.match(end.type === 'failed' ? end.reason : end.type, /compaction is switched off/);
});

test('what an answer took that could not be used is in the log and in the usage', async () => {
  const usage = { prompt_tokens: 7, completion_tokens: 3 };
  await using server = await startModelServer([says('', { usage }), says('Hello.', { usage })]);
  await using bench = await openAgentBench({ chain: [runtimeAt(server.baseUrl, 'first')], clock: systemClock });

  await bench.run();

  const counted = { fresh: 7, cacheRead: 0, cacheWrite: 0, output: 3, reasoning: 0 };
  const failed = (await bench.log()).find((entry) => entry.type === 'step.failed');
  assert.deepEqual(failed?.usage, counted);
  const usages = await bench.store.usages.list({});
  assert.deepEqual(
    usages.map((record) => [record.runtime, record.purpose, record.usage]),
    [
      ['custom:first', 'answer', counted],
      ['custom:first', 'answer', counted],
    ],
  );
});

test('a cut answer of Anthropic’s protocol is not continued with less room than it had', async () => {
  await using server = await startModelServer([
    answersAnthropic([{ type: 'text', text: 'It was ' }], { stop: 'max_tokens' }),
    callsToolsAnthropic([{ name: 'x', args: {} }], { stop: 'max_tokens' }),
    saysAnthropic('dark.'),
  ]);
  const primary = runtimeAt(server.baseUrl, 'claude', { apiMode: 'anthropic_messages' });
  await using bench = await openAgentBench({ chain: [primary], clock: systemClock });

  const end = await bench.run();

  assert.equal(end.type === 'replied' && end.text, 'It was dark.');
  assert.deepEqual(
    server.requests.map(({ json }) => json?.['max_tokens']),
    [32_000, 32_000, 32_000],
  );
});

test('a turn on the Responses protocol goes on where its key is one of several in the environment', async () => {
  await using house = await openTestHouse({
    apiMode: 'codex_responses',
    script: ({ headers }) =>
      headers['authorization'] === 'Bearer second key'
        ? saysResponses('Hello.')
        : failsWith(401, { error: { message: 'no such key' } }),
    env: { CUSTOM_API_KEY: 'first key', CUSTOM_API_KEY_2: 'second key' },
  });

  const reply = await house.say('hi');

  assert.equal(reply, 'Hello.');
  assert.deepEqual(
    house.events.flatMap((event) => (event.type === 'notice' ? [event.text] : [])),
    ["the model's server answered 401: no such key; key CUSTOM_API_KEY_2 takes over"],
  );
});

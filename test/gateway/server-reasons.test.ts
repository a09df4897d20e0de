import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Clock } from '../../src/base/clock.ts';
import type { JsonObject } from '../../src/base/json.ts';
import type { CacheMiss } from '../../src/model/provider.ts';
import { describeServerReason } from '../../src/gateway/server-reasons.ts';
import { startProxy } from '../providers/network-setup.ts';
import { saysAnthropic } from '../support/anthropic-script.ts';
import type { AnthropicAnswerOptions } from '../support/anthropic-script.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { failsWith, says } from '../support/model-script.ts';
import type { ModelScript } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import type { ModelServer } from '../support/model-server.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';

interface OwnHouse extends AsyncDisposable {
  readonly house: TestHouse;
  readonly server: ModelServer;
}

/** A house that talks to a vendor at the vendor's own address, where a proxy leads to the scripted server. */
async function openHouseAt(settings: JsonObject, script: ModelScript, clock?: Clock): Promise<OwnHouse> {
  const server = await startModelServer(script);
  const proxy = await startProxy({ leadsTo: Number(new URL(server.origin).port) });
  const house = await openTestHouse({
    script: [],
    env: { ANTHROPIC_API_KEY: 'test-key', OPENROUTER_API_KEY: 'test-key' },
    settings,
    ...(clock && { clock }),
    prepareHome: (home) =>
      writeFile(join(home, '.env'), `http_proxy=http://127.0.0.1:${proxy.port}\n`, { mode: 0o600 }),
  });
  return {
    house,
    server,
    async [Symbol.asyncDispose]() {
      await house[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const anthropic = {
  provider: 'anthropic',
  base_url: 'http://api.anthropic.com/v1',
  key_env: 'ANTHROPIC_API_KEY',
  default: 'claude-opus-5-5',
};

function took(fresh: number, read: number, written: number): AnthropicAnswerOptions {
  const start = { input_tokens: fresh, cache_read_input_tokens: read, cache_creation_input_tokens: written };
  return { usage: { start, end: { output_tokens: 10 } } };
}

function previousIn(server: ModelServer): readonly unknown[] {
  return server.requests.map(({ json }) => (json?.['diagnostics'] as JsonObject | undefined)?.['previous_message_id']);
}

async function command(house: TestHouse, text: string): Promise<string> {
  const intake = await house.admit(text);
  assert.ok(intake.type === 'commanded');
  return intake.reply;
}

const { default: _model, ...standIn } = anthropic;

test('the server is asked about the last answer of the same model in this session, also after a failure and a restart', async () => {
  await using own = await openHouseAt(
    { model: anthropic, fallback: { ...standIn, model: 'claude-sonnet-5' } },
    (_request, index) => (index === 1 ? failsWith(401) : saysAnthropic('ok')),
  );
  const { house, server } = own;

  await house.say('one');
  await house.say('two');
  await house.restart();
  await house.say('three');
  await command(house, '/new');
  await house.say('four');

  // The second was refused, and another model stood in, which had answered nothing before.
  assert.deepEqual(previousIn(server), [null, 'msg_1', null, 'msg_1', null]);
});

test("/usage why names the server's own reason beside ours", async () => {
  const changed = { cache_miss_reason: { type: 'messages_changed', cache_missed_input_tokens: 19_500 } };
  const clock = new ManualClock();
  await using own = await openHouseAt(
    { model: anthropic },
    [
      saysAnthropic('One.', took(10, 0, 20_000)),
      saysAnthropic('Two.', { ...took(10, 20_000, 100), diagnostics: null }),
      saysAnthropic('Three.', { ...took(10, 0, 20_300), diagnostics: changed }),
    ],
    clock,
  );
  await own.house.say('one');
  await own.house.say('two');
  const quiet = await command(own.house, '/usage why');
  clock.advance(14 * 60_000);
  await own.house.say('three');

  assert.doesNotMatch(quiet, /own reason/);
  assert.match(
    await command(own.house, '/usage why'),
    /run out after a pause of 14 min: .* read 20\.1k tokens anew\. The server's own reason: earlier messages changed \(about 19\.5k tokens\)\.$/m,
  );
});

test('where only the server knows a reason, nobody says that it gives none', async () => {
  const lost = { cache_miss_reason: { type: 'previous_message_not_found' } };
  await using own = await openHouseAt({ model: anthropic }, [
    saysAnthropic('One.', took(10, 0, 20_000)),
    saysAnthropic('Two.', took(10, 20_000, 100)),
    saysAnthropic('Three.', { ...took(10, 0, 20_300), diagnostics: lost }),
  ]);
  for (const text of ['one', 'two', 'three']) await own.house.say(text);

  assert.match(
    await command(own.house, '/usage why'),
    /claude-opus-5-5 did not have 20\.1k unchanged tokens in its cache\. The server was asked for its own reason and no longer knew the request before\.$/m,
  );
});

test('what was written for an hour is priced so and outlives a pause, whatever the settings say later', async () => {
  const clock = new ManualClock(Date.UTC(2026, 10, 1, 12));
  const settings: { model: JsonObject } = { model: { ...anthropic, cache_ttl: '1h' } };
  await using own = await openHouseAt(
    settings,
    [saysAnthropic('One.', took(0, 0, 100_000)), saysAnthropic('Two.', took(0, 0, 100_000))],
    clock,
  );
  await own.house.say('one');
  settings.model = { ...anthropic, cache_ttl: '5m' };
  await own.house.restart();
  const [why, usage] = [await command(own.house, '/usage why'), await command(own.house, '/usage')];
  clock.advance(30 * 60_000);
  await own.house.say('two');

  assert.match(why, /^The last turn: \$0\.80 /);
  assert.match(usage, /^This session: \$0\.80$/m);
  assert.match(await command(own.house, '/usage'), /^This session: \$1\.30$/m);
  assert.doesNotMatch(await command(own.house, '/usage why'), /run out/);
});

test('a Claude at OpenRouter that keeps for an hour what it was told to keep so long has not run out before', async () => {
  const clock = new ManualClock(Date.UTC(2026, 10, 1, 12));
  const model = {
    provider: 'openrouter',
    base_url: 'http://openrouter.ai/api/v1',
    key_env: 'OPENROUTER_API_KEY',
    cache_ttl: '1h',
  };
  const usage = { prompt_tokens: 20_000, completion_tokens: 1, total_tokens: 20_001 };
  await using own = await openHouseAt(
    { model: { ...model, default: 'anthropic/claude-opus-5.5' } },
    () => says('ok', { usage }),
    clock,
  );
  await own.house.say('one');
  clock.advance(30 * 60_000);
  await own.house.say('two');

  assert.doesNotMatch(await command(own.house, '/usage why'), /run out/);
  assert.match(own.server.requests[1]?.body ?? '', /"cache_control":\{"type":"ephemeral","ttl":"1h"\}/);
});

test('a reason that nobody knew when this was written is shown in its own words', () => {
  const sentences: readonly (readonly [CacheMiss, string])[] = [
    [{ reason: 'tools_changed', tokens: 900 }, "The server's own reason: the tools changed (about 900 tokens)."],
    [{ reason: 'moon_phase_changed' }, "The server's own reason: moon phase changed."],
    [{ reason: 'unavailable' }, 'The server was asked for its own reason and could not tell.'],
  ];
  for (const [miss, sentence] of sentences) assert.equal(describeServerReason(miss), sentence);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { Response, ResponseCreateParamsStreaming } from 'openai/resources/responses/responses';

import type { JsonObject } from '../../src/base/json.ts';
import type { CacheReport, ModelEvent } from '../../src/model/provider.ts';
import type { Runtime } from '../../src/model/runtime.ts';
import { saysAnthropic } from '../support/anthropic-script.ts';
import type { ModelScript } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import type { ModelServer } from '../support/model-server.ts';
import { saysResponses } from '../support/responses-script.ts';
import { openAnthropic } from './anthropic-setup.ts';
import { ask, askForEnd, requestOf } from './chat-setup.ts';
import type { ChatOptions, TestChat } from './chat-setup.ts';
import { startProxy } from './network-setup.ts';
import { openResponses } from './openai-responses-setup.ts';

interface OwnServer extends AsyncDisposable {
  readonly server: ModelServer;
  readonly options: ChatOptions;
}

/** A scripted server at a vendor's own address: a proxy leads there, as one may in life. */
async function standInFor(baseUrl: string, script: ModelScript, runtime: Partial<Runtime>): Promise<OwnServer> {
  const server = await startModelServer(script);
  const proxy = await startProxy({ leadsTo: Number(new URL(server.origin).port) });
  const environment = (name: string): string | undefined =>
    name === 'http_proxy' ? `http://127.0.0.1:${proxy.port}` : undefined;
  return {
    server,
    options: { runtime: { baseUrl, ...runtime }, transport: { network: { environment, proxies: 'as-set' } } },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const standInForAnthropic = (script: ModelScript): Promise<OwnServer> =>
  standInFor('http://api.anthropic.com/v1', script, { vendor: 'anthropic' });

const standInForOpenAi = (script: ModelScript): Promise<OwnServer> =>
  standInFor('http://api.openai.com/v1', script, { vendor: 'openai', apiMode: 'codex_responses' });

function diagnosticsIn(server: ModelServer): readonly unknown[] {
  return server.requests.map(({ json }) => json?.['diagnostics']);
}

function comparisonsIn(server: ModelServer): readonly unknown[] {
  return server.requests.map(({ json }) => json?.['prompt_cache_options']);
}

function reportOf(event: ModelEvent | undefined): CacheReport {
  assert.ok(event?.type === 'finished');
  const { answerId, cacheMiss } = event;
  return { ...(answerId !== undefined && { answerId }), ...(cacheMiss && { cacheMiss }) };
}

test('Anthropic is asked in every request, the first included, what changed since the last answer, and no header is needed', async () => {
  await using own = await standInForAnthropic(() => saysAnthropic('ok', { diagnostics: null }));
  await using chat = openAnthropic(own.server, own.options);

  const first = await askForEnd(chat, requestOf());
  await ask(chat, requestOf({ lastAnswerId: reportOf(first).answerId ?? '' }));
  await ask(chat, requestOf({ lastAnswerId: 'resp_of_another' }));

  assert.deepEqual(reportOf(first), { answerId: 'msg_1' });
  assert.deepEqual(diagnosticsIn(own.server), [
    { previous_message_id: null },
    { previous_message_id: 'msg_1' },
    { previous_message_id: null },
  ]);
  assert.equal(own.server.requests[0]?.headers['anthropic-beta'], undefined);
});

const anthropicReasons: readonly (readonly [JsonObject | null, CacheReport['cacheMiss']])[] = [
  [
    { type: 'model_changed', cache_missed_input_tokens: 900 },
    { reason: 'model_changed', tokens: 900 },
  ],
  [
    { type: 'system_changed', cache_missed_input_tokens: 0 },
    { reason: 'system_changed', tokens: 0 },
  ],
  [
    { type: 'tools_changed', cache_missed_input_tokens: 900 },
    { reason: 'tools_changed', tokens: 900 },
  ],
  [
    { type: 'messages_changed', cache_missed_input_tokens: 9 },
    { reason: 'messages_changed', tokens: 9 },
  ],
  [{ type: 'previous_message_not_found' }, { reason: 'previous_message_not_found' }],
  [{ type: 'unavailable' }, { reason: 'unavailable' }],
  [{ type: 'something_new', cache_missed_input_tokens: 'many' }, { reason: 'something_new' }],
  [{ type: 'Not a reason: <b>\n' }, undefined],
  // The comparison was not done yet.
  [null, undefined],
];

test('what Anthropic says about its cache is read as its SDK reads it', async () => {
  for (const [reason, expected] of anthropicReasons) {
    await using own = await standInForAnthropic(() =>
      saysAnthropic('ok', { diagnostics: { cache_miss_reason: reason } }),
    );
    await using chat = openAnthropic(own.server, own.options);

    const ours = reportOf(await askForEnd(chat, requestOf({ lastAnswerId: 'msg_0' })));

    const sdk = new Anthropic({ baseURL: own.server.origin, apiKey: 'test-key', authToken: null, maxRetries: 0 });
    const theirs = await sdk.messages
      .stream({
        model: 'test-model',
        max_tokens: 1,
        messages: [{ role: 'user', content: 'hello' }],
        diagnostics: { previous_message_id: 'msg_0' },
      })
      .finalMessage();
    assert.deepEqual(ours, { answerId: 'msg_1', ...(expected && { cacheMiss: expected }) });
    assert.deepEqual(theirs.diagnostics?.cache_miss_reason, reason);
    assert.deepEqual(own.server.requests[0]?.json?.['diagnostics'], own.server.requests[1]?.json?.['diagnostics']);
  }
});

test('whoever stands in for Anthropic or speaks its protocol is asked nothing that it may refuse, and its ids are not kept', async () => {
  const step = saysAnthropic('ok', { diagnostics: { cache_miss_reason: { type: 'unavailable' } } });
  await using server = await startModelServer([step]);
  await using elsewhere = openAnthropic(server);
  await using own = await standInFor('http://api.anthropic.com/v1', [step], { vendor: 'custom' });
  await using other = openAnthropic(own.server, own.options);

  const ends = [
    await askForEnd(elsewhere, requestOf({ lastAnswerId: 'msg_0' })),
    await askForEnd(other, requestOf({ lastAnswerId: 'msg_0' })),
  ];

  assert.deepEqual(ends.map(reportOf), [{}, {}]);
  assert.deepEqual([...diagnosticsIn(server), ...diagnosticsIn(own.server)], [undefined, undefined]);
});

async function asked(chat: TestChat, model: string): Promise<CacheReport> {
  return reportOf(await askForEnd(chat, requestOf({ model, lastAnswerId: 'resp_0' })));
}

const gpt = { model: 'gpt-6-sol', lastAnswerId: 'resp_0' };

test('OpenAI is asked what changed since the last answer, once there is one', async () => {
  await using own = await standInForOpenAi(() => saysResponses('ok'));
  await using client = openResponses(own.server, own.options);

  const first = await askForEnd(client, requestOf({ model: 'gpt-5.6-terra' }));
  await ask(client, requestOf({ model: 'gpt-5.6-terra', lastAnswerId: reportOf(first).answerId ?? '' }));
  await ask(client, requestOf({ model: 'gpt-5.6-terra', lastAnswerId: 'msg_of_another' }));

  assert.deepEqual(reportOf(first), { answerId: 'resp_1' });
  assert.deepEqual(comparisonsIn(own.server), [undefined, { comparison_response_id: 'resp_1' }, undefined]);
});

type Diagnostics = NonNullable<Response['prompt_cache_diagnostics']>;

const openAiReasons: readonly (readonly [Diagnostics, CacheReport['cacheMiss']])[] = [
  [{ type: 'cache_hit' }, undefined],
  [{ type: 'comparison_response_not_found' }, { reason: 'comparison_response_not_found' }],
  [{ type: 'unavailable' }, { reason: 'unavailable' }],
  [
    { type: 'cache_miss', reason: 'input_changed', cache_missed_tokens: 2048, comparison_reusable_tokens: 4096 },
    { reason: 'input_changed', tokens: 2048 },
  ],
];

test('what OpenAI says about its cache is read as its SDK reads it', async () => {
  for (const [diagnostics, expected] of openAiReasons) {
    await using own = await standInForOpenAi(() => saysResponses('ok', { diagnostics: { ...diagnostics } }));
    await using client = openResponses(own.server, own.options);

    const ours = reportOf(await askForEnd(client, requestOf(gpt)));

    const params: ResponseCreateParamsStreaming = {
      model: gpt.model,
      input: 'hello',
      stream: true,
      prompt_cache_options: { comparison_response_id: gpt.lastAnswerId },
    };
    const sdk = new OpenAI({ apiKey: 'test-key', baseURL: own.server.baseUrl, maxRetries: 0 });
    const theirs = await sdk.responses.stream(params).finalResponse();
    assert.deepEqual(ours, { answerId: 'resp_1', ...(expected && { cacheMiss: expected }) });
    assert.deepEqual(theirs.prompt_cache_diagnostics, diagnostics);
    const [ourWish, theirWish] = comparisonsIn(own.server);
    assert.deepEqual(ourWish, theirWish);
  }
});

test('models of OpenAI that would refuse the question are not asked, and neither is anyone else', async () => {
  await using own = await standInForOpenAi(() => saysResponses('ok', { diagnostics: { type: 'unavailable' } }));
  await using client = openResponses(own.server, own.options);

  for (const model of ['gpt-5.4', 'gpt-5', 'gpt-5-2025-08-07', 'gpt-4.1', 'gpt-4o', 'gpt-oss-120b', 'o4-mini'])
    assert.deepEqual(await asked(client, model), {}, model);
  assert.ok(comparisonsIn(own.server).every((wish) => wish === undefined));
  for (const model of ['gpt-5.6', 'gpt-5.6-sol', 'gpt-5.10', 'gpt-6-astra', 'gpt-10'])
    assert.equal((await asked(client, model)).answerId?.startsWith('resp_'), true, model);

  await using server = await startModelServer(() => saysResponses('ok', { diagnostics: { type: 'unavailable' } }));
  await using elsewhere = openResponses(server, { runtime: { vendor: 'openai' } });
  await using custom = openResponses(server, { runtime: { vendor: 'custom' } });
  assert.deepEqual([await asked(elsewhere, 'gpt-6-sol'), await asked(custom, 'gpt-6-sol')], [{}, {}]);
  assert.deepEqual(comparisonsIn(server), [undefined, undefined]);
});

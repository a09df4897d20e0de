import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { isJsonObject } from '../../src/base/json.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { textPart } from '../../src/model/message.ts';
import type { AssistantMessage, Message } from '../../src/model/message.ts';
import { noUsage } from '../../src/model/provider.ts';
import type { ModelEvent } from '../../src/model/provider.ts';
import { connectRuntime } from '../../src/providers/connect-runtime.ts';
import { findVendor, vendors } from '../../src/providers/vendors.ts';
import { failsWith, says, sendsEvents, sendsRaw } from '../support/model-script.ts';
import type { ModelStep } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { ask, callId, openChat, requestOf, runtimeAt } from './chat-setup.ts';
import { fixtures } from './vendor-fixtures/all.ts';
import { chunk, messageOf, weather } from './vendor-fixtures/fixture.ts';
import type { FixtureAnswer, VendorFixture } from './vendor-fixtures/fixture.ts';

const question: Message = { role: 'user', parts: [textPart('What is the weather in Paris?')] };

/** Asks through the vendor's row, and once more with the answer in the conversation; returns both sides of it. */
async function converse(
  { vendor, apiMode = 'chat_completions' }: Pick<VendorFixture, 'vendor' | 'apiMode'>,
  step: ModelStep,
  past?: AssistantMessage,
): Promise<{ readonly events: readonly ModelEvent[]; readonly sent: JsonObject; readonly replayed: JsonObject }> {
  await using server = await startModelServer([step, says('ok')]);
  await using closing = new AsyncDisposableStack();
  const chat = await connectRuntime(runtimeAt(server.baseUrl, { vendor, apiMode }));
  closing.defer(() => chat.close());
  const events = await ask(chat, requestOf({ messages: [question] }));
  const last = events.at(-1);
  const answer = past ?? (last?.type === 'finished' ? last.message : undefined);
  if (answer !== undefined) await ask(chat, requestOf({ messages: [question, answer] }));
  const { messages, input = messages } = server.requests[1]?.json ?? {};
  const replayed: unknown = Array.isArray(input) ? input.at(-1) : {};
  return { events, sent: server.requests[0]?.json ?? {}, replayed: isJsonObject(replayed) ? replayed : {} };
}

async function check(answer: FixtureAnswer, fixture: VendorFixture): Promise<void> {
  const { events, replayed } = await converse(fixture, sendsRaw(answer.stream));
  const shown = (type: string): string =>
    events.map((event) => ('text' in event && event.type === type ? event.text : '')).join('');

  assert.deepEqual(
    [shown('reasoning.delta'), shown('text.delta'), events.at(-1)],
    [
      answer.thoughts ?? '',
      answer.text ?? '',
      {
        type: 'finished',
        message: messageOf(answer, fixture.vendor),
        finish: answer.finish,
        usage: { ...noUsage, ...answer.usage },
      },
    ],
  );
  for (const [field, value] of Object.entries(answer.replayed ?? {})) assert.deepEqual(replayed[field], value, field);
}

async function checkRefusal(fixture: VendorFixture): Promise<void> {
  const { refusal } = fixture;
  const step = failsWith(refusal.status, JSON.stringify(refusal.body), { 'content-type': 'application/json' });
  const last = (await converse(fixture, step)).events.at(-1);

  const failure = last?.type === 'failed' && last.failure.type === 'http' ? last.failure : undefined;
  assert.deepEqual([failure?.status, failure?.message], [refusal.status, refusal.message]);
}

for (const fixture of fixtures) {
  test(`${fixture.vendor} over ${fixture.apiMode ?? 'chat_completions'}: its text, its calls, its counts and its errors are read as it documents them`, async () => {
    await check(fixture.text, fixture);
    await check(fixture.call, fixture);
    await checkRefusal(fixture);
  });
}

// Anthropic speaks another protocol, whose tests have its streams. The documentation of Nous could not be read.
const elsewhere = ['anthropic'];
const notTried = ['nous'];

test('every vendor has a fixture in the shape of its documentation, or is listed as not tried', () => {
  const covered = new Set([...fixtures.map(({ vendor }) => vendor), ...elsewhere, ...notTried]);

  assert.deepEqual([...covered].toSorted(), vendors.map(({ name }) => name).toSorted());
  for (const { vendor, documents } of fixtures) assert.notEqual(documents.length, 0, vendor);
});

test('the guide tells of every vendor, of its key, its address and whether it was tried', () => {
  const guide = readFileSync(new URL('../../docs/models.md', import.meta.url), 'utf8');
  const rows = guide.split('\n').filter((line) => line.startsWith('| `'));

  for (const { name, envKey, baseUrl, defaultModel } of vendors) {
    const row = rows.find((line) => line.startsWith(`| \`${name}\` `)) ?? '';
    assert.notEqual(row, '', `${name} is not in docs/models.md`);
    for (const part of [envKey, baseUrl, defaultModel])
      assert.equal(row.includes(part ?? ''), true, `${name}: ${part}`);
    assert.equal(row.includes('not tried'), notTried.includes(name), name);
  }
});

const foreignCall: AssistantMessage = {
  role: 'assistant',
  parts: [],
  calls: [{ id: callId('call_1'), ...weather }],
  reasoning: {
    vendor: 'someone-else',
    text: 'secret',
    items: [{ reasoning_content: 'secret', reasoning_details: [1] }],
  },
};

test('what another vendor thought is sent to none, and whoever demands a thought gets an empty one', async () => {
  for (const { name, dialect, apiMode } of vendors) {
    if (apiMode === 'anthropic_messages') continue;
    const { replayed } = await converse({ vendor: name }, says('hm'), foreignCall);

    assert.equal(JSON.stringify(replayed).includes('secret'), false, name);
    assert.equal(replayed['reasoning_content'], dialect.thoughts === 'demanded-content' ? ' ' : undefined, name);
    assert.equal('reasoning_details' in replayed, false, name);
  }
});

test('Gemini is told that the calls of other models have no signature', async () => {
  const { replayed } = await converse({ vendor: 'gemini' }, says('hm'), foreignCall);

  assert.deepEqual(replayed['tool_calls'], [
    {
      id: 'call_1',
      type: 'function',
      function: weather,
      extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } },
    },
  ]);
});

test('a vendor gets the fields that it asks for and none that it refuses', async () => {
  const tool = { name: 'get_weather', description: 'Weather.', parameters: { type: 'object' } };
  const request = requestOf({ tools: [tool], toolUse: 'forbidden', maxOutputTokens: 9, effort: 'low' });
  const fieldsFor = async (vendor: string): Promise<JsonObject> => {
    await using server = await startModelServer([says('ok')]);
    await using chat = openChat(server, { runtime: { vendor } });
    await ask(chat, request);
    const { model, stream, messages, tools, ...rest } = server.requests[0]?.json ?? {};
    assert.deepEqual([model, stream, Array.isArray(messages), Array.isArray(tools)], ['test-model', true, true, true]);
    return rest;
  };
  const counted = { stream_options: { include_usage: true } };
  const plain = { ...counted, max_tokens: 9, tool_choice: 'none' };
  const table: Readonly<Record<string, JsonObject>> = {
    openai: {
      ...counted,
      max_completion_tokens: 9,
      tool_choice: 'none',
      prompt_cache_key: 'ses_test',
      reasoning_effort: 'low',
    },
    openrouter: { ...plain, reasoning: { effort: 'low' } },
    deepseek: { ...plain, reasoning_effort: 'low' },
    zai: { ...counted, max_tokens: 9, thinking: { type: 'enabled', clear_thinking: false } },
    kimi: { ...counted, max_completion_tokens: 9, tool_choice: 'none', prompt_cache_key: 'ses_test' },
    minimax: { ...counted, max_completion_tokens: 9, reasoning_split: true },
    mistral: { max_tokens: 9, tool_choice: 'none' },
    vllm: plain,
  };
  for (const [vendor, expected] of Object.entries(table)) assert.deepEqual(await fieldsFor(vendor), expected, vendor);
});

test('a finish reason that is a breakdown is a failure of the server', async () => {
  const statuses: (number | undefined)[] = [];
  for (const reason of ['network_error', 'insufficient_system_resource', 'error']) {
    const { events } = await converse({ vendor: 'zai' }, sendsEvents([chunk({ content: 'x' }), chunk({}, reason)]));
    const last = events.at(-1);
    statuses.push(last?.type === 'failed' && last.failure.type === 'http' ? last.failure.status : undefined);
  }

  assert.deepEqual(statuses, [502, 503, 500]);
});

test('an error of MiniMax that comes with a status of 200 is one all the same', async () => {
  const table: Readonly<Record<number, number>> = { 1000: 500, 1002: 429, 1004: 401, 1008: 402, 2013: 400 };
  for (const [code, status] of Object.entries(table)) {
    const refused = { base_resp: { status_code: Number(code), status_msg: `refused with ${code}` } };
    const last = (await converse({ vendor: 'minimax' }, sendsEvents([refused]))).events.at(-1);

    const failure = last?.type === 'failed' && last.failure.type === 'http' ? last.failure : undefined;
    assert.deepEqual([failure?.status, failure?.message], [status, `refused with ${code}`]);
  }
});

test('the servers that people run themselves are local and need no key', () => {
  for (const name of ['llamacpp', 'vllm', 'ollama', 'lmstudio']) {
    const vendor = findVendor(name);
    assert.deepEqual([vendor?.place, vendor?.envKey, vendor?.defaultModel], ['local', undefined, undefined], name);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';

import type { JsonObject } from '../../src/base/json.ts';
import { textPart } from '../../src/model/message.ts';
import type { ModelEvent, ModelRequest } from '../../src/model/provider.ts';
import { composeBody } from '../../src/providers/anthropic-messages-request.ts';
import type { AnthropicBody } from '../../src/providers/anthropic-messages-wire.ts';
import { answersAnthropic, callsToolsAnthropic, saysAnthropic, thinksAnthropic } from '../support/anthropic-script.ts';
import type { AnthropicBlock } from '../support/anthropic-script.ts';
import type { ModelStep } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import type { ModelServer } from '../support/model-server.ts';
import {
  assistant,
  call,
  ended,
  fiveMinutes,
  openAnthropic,
  readFile,
  result,
  thoughts,
  user,
} from './anthropic-setup.ts';
import { ask, askForEnd, requestOf } from './chat-setup.ts';

type Params = Anthropic.MessageCreateParamsStreaming;

/** The SDK pointed at a scripted server, with nothing taken from the environment. */
function openSdk(server: ModelServer): Anthropic {
  const settings = { apiKey: 'test-key-0123456789', authToken: null, maxRetries: 0, logLevel: 'off' as const };
  return new Anthropic({ baseURL: server.origin, ...settings });
}

/** Nothing in it may be changed, but the SDK's types are of what may be. */
type Changeable<Value> = Value extends readonly (infer Item)[]
  ? Changeable<Item>[]
  : Value extends object
    ? { -readonly [Key in keyof Value]: Changeable<Value[Key]> }
    : Value;

/** Compiles only as long as our body is one of the SDK's. */
function asParams(body: Changeable<AnthropicBody>): Params {
  return body;
}

const signed = { type: 'thinking', thinking: 'Let me look.', signature: 'sig-1' } as const;
const hidden = { type: 'redacted_thinking', data: 'opaque' } as const;
const note = { type: 'thinking', thinking: '', signature: 'sig-2' } as const;

/** A conversation in our words, and the same one as somebody writes it for the SDK. */
const request: ModelRequest = requestOf({
  model: 'claude-sonnet-5-5',
  system: 'You are a test.',
  tools: [readFile],
  messages: [
    user('read both'),
    {
      role: 'assistant',
      parts: [textPart('Reading.')],
      calls: [call('toolu_1'), call('toolu_2', 'read_file', '{ "path" : "b.txt" }')],
      reasoning: thoughts([signed, hidden, { type: 'text' }, { type: 'tool_use' }, note]),
    },
    result('toolu_1', 'hello'),
    ended('toolu_2', { type: 'failed', message: 'no such file' }),
    user('and now?'),
    assistant('One of them is there.', [], thoughts([signed], 'another')),
    user('thanks'),
  ],
  maxOutputTokens: 2048,
  effort: 'medium',
  toolUse: 'forbidden',
});

const marker = { type: 'ephemeral' } as const;

const handwritten: Params = {
  model: 'claude-sonnet-5-5',
  max_tokens: 2048,
  stream: true,
  system: [{ type: 'text', text: 'You are a test.', cache_control: marker }],
  tools: [
    {
      name: 'read_file',
      description: 'Reads a file.',
      input_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  ],
  tool_choice: { type: 'none' },
  thinking: { type: 'adaptive', display: 'summarized' },
  output_config: { effort: 'medium' },
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'read both' }] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Let me look.', signature: 'sig-1' },
        { type: 'redacted_thinking', data: 'opaque' },
        { type: 'text', text: 'Reading.' },
        { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'a.txt' } },
        { type: 'thinking', thinking: '', signature: 'sig-2' },
        { type: 'tool_use', id: 'toolu_2', name: 'read_file', input: { path: 'b.txt' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: 'hello' },
        { type: 'tool_result', tool_use_id: 'toolu_2', content: 'ERROR: no such file', is_error: true },
        { type: 'text', text: 'and now?', cache_control: marker },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'One of them is there.', cache_control: marker }] },
    { role: 'user', content: [{ type: 'text', text: 'thanks', cache_control: marker }] },
  ],
};

test('the SDK sends an equal body to the same path for the same conversation', async () => {
  await using server = await startModelServer([saysAnthropic('ours'), saysAnthropic('theirs')]);
  await using chat = openAnthropic(server);

  await ask(chat, request);
  await Array.fromAsync(await openSdk(server).messages.create(handwritten));

  const [ours, theirs] = server.requests;
  assert.deepEqual(ours?.json, theirs?.json);
  assert.equal(ours?.path, theirs?.path);
});

test('the SDK takes our body for one of its own and sends it byte for byte as we do', async () => {
  await using server = await startModelServer(() => saysAnthropic('ok'));
  await using chat = openAnthropic(server);
  const older = { ...request, model: 'claude-haiku-4-5', effort: 'high' as const };

  for (const wish of [request, older, requestOf()]) {
    const body = asParams(composeBody(wish, fiveMinutes) as Changeable<AnthropicBody>);
    await ask(chat, wish);
    await Array.fromAsync(await openSdk(server).messages.create(body));
    assert.equal(server.requests.at(-1)?.body, server.requests.at(-2)?.body);
  }
});

test('the SDK reads the same out of a stream as we do', async () => {
  const usage = {
    start: { input_tokens: 10, cache_creation_input_tokens: 3, cache_read_input_tokens: 7, output_tokens: 1 },
    end: { output_tokens: 9, output_tokens_details: { thinking_tokens: 4 } },
  };
  const interleaved: readonly AnthropicBlock[] = [
    signed,
    { type: 'text', text: 'Grüße, 世界 😀' },
    hidden,
    { type: 'tool_use', id: 'toolu_a', name: 'a', args: { deep: [1, { two: null }] } },
    note,
    { type: 'tool_use', name: 'b', args: {} },
  ];
  const steps: Readonly<Record<string, ModelStep>> = {
    text: saysAnthropic('Hello you there', { usage }),
    'a refusal': saysAnthropic('I cannot', { stop: 'refusal' }),
    'a cut answer': saysAnthropic('Hello', { stop: 'max_tokens' }),
    thoughts: thinksAnthropic([signed, hidden], 'Hello', { usage }),
    calls: callsToolsAnthropic(
      [
        { name: 'a', args: { n: 1 } },
        { name: 'b', args: {} },
      ],
      { text: 'Wait.' },
    ),
    'all of it': answersAnthropic(interleaved, { usage }),
    nothing: answersAnthropic([]),
  };
  for (const [name, step] of Object.entries(steps)) {
    await using server = await startModelServer(() => step);
    await using chat = openAnthropic(server);

    const theirs = await openSdk(server).messages.stream(handwritten).finalMessage();
    const ours = await askForEnd(chat, request);

    // The SDK's request was the first, which the ids of the script's calls tell.
    assert.deepEqual(withoutIds(inTheirWords(ours)), withoutIds(summaryOf(theirs)), name);
  }
});

test('what we keep of a stream goes back as the SDK would send it back', async () => {
  const blocks: readonly AnthropicBlock[] = [
    signed,
    { type: 'text', text: 'First.' },
    note,
    { type: 'tool_use', id: 'toolu_a', name: 'a', args: { n: 1 } },
    hidden,
    { type: 'tool_use', id: 'toolu_b', name: 'b', args: { n: 2 } },
  ];
  await using server = await startModelServer(() => answersAnthropic(blocks));
  await using chat = openAnthropic(server);

  const theirs = await openSdk(server).messages.stream(handwritten).finalMessage();
  const ours = await askForEnd(chat, request);
  assert.ok(ours?.type === 'finished');
  const next = composeBody(
    { ...request, messages: [user('go'), ours.message, result('toolu_a', '1'), result('toolu_b', '2')] },
    fiveMinutes,
  );

  const sent = next.messages[1]?.content.map((block) => ({ ...block, cache_control: undefined }));
  assert.deepEqual(
    sent,
    theirs.content.map((block) => ({ ...block, cache_control: undefined })),
  );
});

interface Summary {
  readonly blocks: readonly JsonObject[];
  readonly stop: string | null;
  readonly counts: readonly number[];
}

function summaryOf({ content, stop_reason: stop, usage }: Anthropic.Message): Summary {
  return {
    blocks: JSON.parse(JSON.stringify(content)) as JsonObject[],
    stop,
    counts: [
      usage.input_tokens,
      usage.cache_read_input_tokens ?? 0,
      usage.cache_creation_input_tokens ?? 0,
      usage.output_tokens,
      usage.output_tokens_details?.thinking_tokens ?? 0,
    ],
  };
}

/** Our answer as the SDK has its own: through what we would send back. */
function inTheirWords(event: ModelEvent | undefined): Summary {
  assert.ok(event?.type === 'finished');
  const { message, finish, usage } = event;
  const results = message.calls.map(({ id }) => result(id, 'ok'));
  const { messages } = composeBody(requestOf({ messages: [user('go'), message, ...results] }), fiveMinutes);
  const answer = messages.find(({ role }) => role === 'assistant');
  const stops = { stop: 'end_turn', calls: 'tool_use', length: 'max_tokens', filtered: 'refusal', interrupted: '' };
  const blocks = (answer?.content ?? []).map((block) => ({ ...block, cache_control: undefined }));
  return {
    blocks: JSON.parse(JSON.stringify(blocks)) as JsonObject[],
    stop: stops[finish],
    counts: [usage.fresh, usage.cacheRead, usage.cacheWrite, usage.output, usage.reasoning],
  };
}

function withoutIds(summary: Summary): Summary {
  const blocks = summary.blocks.map(({ id, ...block }) => ({ ...block, hasId: typeof id === 'string' }));
  return { ...summary, blocks };
}

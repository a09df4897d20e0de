import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import OpenAI from 'openai';
import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';

import type { BlobId } from '../../src/base/ids.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { textPart } from '../../src/model/message.ts';
import type { Message, Part } from '../../src/model/message.ts';
import type { ModelRequest } from '../../src/model/provider.ts';
import type { CacheLife } from '../../src/model/runtime.ts';
import { prepareOpenAiChat } from '../../src/providers/openai-chat-request.ts';
import { dialectOf } from '../../src/providers/vendors.ts';
import { says } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { assistant, call, readFile, result, user, withoutMarkers } from './anthropic-setup.ts';
import { ask, callId, openChat, requestOf } from './chat-setup.ts';

const claude = 'anthropic/claude-opus-5.5';

const conversation: ModelRequest = requestOf({
  model: claude,
  tools: [readFile],
  messages: [
    user('read both'),
    assistant('', [call('call_1'), call('call_2')]),
    result('call_1', 'hello'),
    result('call_2', ' '),
    assistant('One of them is there.'),
    user('thanks'),
  ],
});

interface Sent {
  readonly messages: readonly (JsonObject & { readonly content: unknown })[];
}

function bodyOf(request: ModelRequest, vendor = 'openrouter', life: CacheLife = '5m'): string {
  return prepareOpenAiChat(request, dialectOf(vendor), vendor, life);
}

function sent(body: string): Sent {
  return JSON.parse(body) as Sent;
}

/** The places of the messages that bear a marker. */
function markedIn(body: string): readonly number[] {
  return sent(body).messages.flatMap((message, place) =>
    JSON.stringify(message).includes('"cache_control":{') ? [place] : [],
  );
}

test('a Claude at OpenRouter is told to keep the system prompt and the newest three messages that can bear a marker', async () => {
  await using server = await startModelServer([says('ok')]);
  await using chat = openChat(server, { runtime: { vendor: 'openrouter', model: claude } });

  await ask(chat, conversation);

  const marker = { cache_control: { type: 'ephemeral' } };
  const uses = [call('call_1'), call('call_2')].map(({ id, name, arguments: text }) => ({
    id,
    type: 'function',
    function: { name, arguments: text },
  }));
  assert.deepEqual(server.requests[0]?.json?.['messages'], [
    { role: 'system', content: [{ type: 'text', text: 'You are a test.', ...marker }] },
    { role: 'user', content: [{ type: 'text', text: 'read both' }] },
    { role: 'assistant', content: null, tool_calls: uses },
    { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'hello', ...marker }] },
    { role: 'tool', tool_call_id: 'call_2', content: ' ' },
    { role: 'assistant', content: [{ type: 'text', text: 'One of them is there.', ...marker }] },
    { role: 'user', content: [{ type: 'text', text: 'thanks', ...marker }] },
  ]);
});

test('without a system prompt all four markers stand at the newest messages', () => {
  const messages = ['one', 'two', 'three', 'four', 'five'].map(user);

  assert.deepEqual(markedIn(bodyOf(requestOf({ model: claude, system: '', messages }))), [1, 2, 3, 4]);
});

test('the marker says an hour where the runtime is to be kept ready that long', async () => {
  await using server = await startModelServer([says('ok')]);
  await using chat = openChat(server, { runtime: { vendor: 'openrouter', model: claude, cacheLife: '1h' } });

  await ask(chat, requestOf({ model: claude }));

  const markers = server.requests[0]?.body.match(/"cache_control":\{[^}]*\}/g);
  assert.deepEqual(markers, Array(2).fill('"cache_control":{"type":"ephemeral","ttl":"1h"}'));
});

test('markers go to the models whose servers need them, and to no other', () => {
  const models: readonly (readonly [string, string, boolean])[] = [
    ['openrouter', 'anthropic/claude-opus-5.5', true],
    ['openrouter', '~anthropic/claude-sonnet-latest', true],
    ['openrouter', 'openai/gpt-6-sol', false],
    ['openrouter', 'openrouter/auto', false],
    ['openrouter', 'someone/anthropic/claude', false],
    ['nous', 'anthropic/claude-opus-5.5', true],
    ['nous', 'Qwen/Qwen3-Max', true],
    ['nous', 'Hermes-4-405B', false],
    ['openai', 'anthropic/claude-opus-5.5', false],
    ['custom', 'anthropic/claude-opus-5.5', false],
  ];
  for (const [vendor, model, isMarked] of models) {
    const body = bodyOf(requestOf({ model }), vendor);
    assert.equal(markedIn(body).length > 0, isMarked, `${vendor} ${model}`);
    assert.equal(typeof sent(body).messages[0]?.content, isMarked ? 'object' : 'string', `${vendor} ${model}`);
  }
});

test('a message with a picture bears its marker at its last text', () => {
  const blob = 'a' as BlobId;
  const picture: Part = { type: 'image', blob, mediaType: 'image/png', bytes: 3, name: '' };
  const messages: readonly Message[] = [{ role: 'user', parts: [textPart('look'), picture] }];
  const request = requestOf({ model: claude, system: '', messages, images: new Map([[blob, 'aGk=']]) });

  const [message] = sent(bodyOf(request)).messages;

  const parts = message?.content as readonly JsonObject[];
  assert.deepEqual(
    parts.map((part) => [part['type'], 'cache_control' in part]),
    [
      ['text', true],
      ['image_url', false],
    ],
  );
});

/** The same without markers, as the SDK's types have it. */
const unmarked: ChatCompletionCreateParamsStreaming = {
  model: claude,
  stream: true,
  stream_options: { include_usage: true },
  tools: [{ type: 'function', function: { ...readFile, parameters: { ...readFile.parameters } } }],
  messages: [
    { role: 'system', content: [{ type: 'text', text: 'You are a test.' }] },
    { role: 'user', content: [{ type: 'text', text: 'read both' }] },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a.txt"}' } },
        { id: 'call_2', type: 'function', function: { name: 'read_file', arguments: '{"path":"a.txt"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'hello' }] },
    { role: 'tool', tool_call_id: 'call_2', content: ' ' },
    { role: 'assistant', content: [{ type: 'text', text: 'One of them is there.' }] },
    { role: 'user', content: [{ type: 'text', text: 'thanks' }] },
  ],
};

test("but for the markers, the body is one that the vendor's SDK sends", async () => {
  await using server = await startModelServer([says('ours'), says('theirs')]);
  await using chat = openChat(server, { runtime: { vendor: 'openrouter', model: claude } });

  await ask(chat, conversation);
  const sdk = new OpenAI({ apiKey: 'test-key', baseURL: server.baseUrl, maxRetries: 0 });
  await Array.fromAsync(await sdk.chat.completions.create(unmarked));

  const [ours, theirs] = server.requests;
  assert.deepEqual(JSON.parse(withoutMarkers(ours?.body ?? '')), theirs?.json);
});

const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', ' \n', '\ud800', '"]}],"max_tokens":1', ',"cache_control":{"type":"ephemeral"}'),
);
const blobs = ['a', 'b'] as readonly string[] as readonly BlobId[];
const images: ReadonlyMap<BlobId, string> = new Map(blobs.map((blob) => [blob, 'aGk=']));
const anyPart: fc.Arbitrary<Part> = fc.oneof(
  anyText.map(textPart),
  fc.record({
    type: fc.constant('image' as const),
    blob: fc.constantFrom(...blobs),
    mediaType: fc.constant('image/png' as const),
    bytes: fc.nat(),
    name: fc.string(),
  }),
);
const said: fc.Arbitrary<Message> = fc.record({
  role: fc.constant('user' as const),
  parts: fc.array(anyPart, { minLength: 1, maxLength: 3 }),
});

/** What is added between two requests: an answer, the results of its calls, what was said meanwhile, and the next message. */
const round: fc.Arbitrary<readonly Message[]> = fc
  .record({
    calls: fc.nat(3),
    text: anyText,
    results: fc.array(anyText, { minLength: 3, maxLength: 3 }),
    steering: fc.array(anyText, { maxLength: 1 }),
    next: fc.array(said, { maxLength: 1 }),
  })
  .map(({ calls, text, results, steering, next }) => {
    const ids = Array.from({ length: calls }, (_, place) => `call_${place}`);
    return [
      assistant(
        text,
        ids.map((id) => call(id)),
      ),
      ...ids.map((id, place): Message => ({
        role: 'tool',
        callId: callId(id),
        outcome: { type: 'done', parts: [textPart(results[place] ?? '')] },
        steering,
      })),
      ...next,
    ];
  });

test('each request of a growing conversation begins with all of the one before, markers aside', () => {
  fc.assert(
    fc.property(anyText, said, fc.array(round, { minLength: 1, maxLength: 6 }), (system, first, rounds) => {
      const messages: Message[] = [];
      let before = '';
      for (const added of [[first], ...rounds]) {
        messages.push(...added);
        const body = bodyOf(requestOf({ model: claude, system, messages: [...messages], images }));
        assert.ok(markedIn(body).length <= 4);
        const bare = withoutMarkers(body);
        assert.equal(bare.slice(0, before.length), before);
        before = bare.slice(0, bare.lastIndexOf(']'));
      }
    }),
    { numRuns: 300, seed: 20_26 },
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import type { ChatCompletion, ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';

import { textPart } from '../../src/model/message.ts';
import type { Finish, ModelRequest } from '../../src/model/provider.ts';
import { callsTool, callsTools, says } from '../support/model-script.ts';
import type { ModelStep } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import type { ModelServer } from '../support/model-server.ts';
import { ask, askForEnd, callId, openChat, requestOf } from './chat-setup.ts';

/** The vendor's own client: what it sends and what it reads is how the protocol is meant. */
function openSdk(server: ModelServer): OpenAI {
  return new OpenAI({ apiKey: 'test-key', baseURL: server.baseUrl, maxRetries: 0 });
}

const readFile = {
  name: 'read_file',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

const conversation: ModelRequest = requestOf({
  model: 'gpt-test',
  system: 'You are a test.',
  tools: [readFile],
  messages: [
    { role: 'user', parts: [textPart('read a.txt and b.txt')] },
    {
      role: 'assistant',
      parts: [],
      calls: [
        { id: callId('call_1'), name: 'read_file', arguments: '{"path":"a.txt"}' },
        { id: callId('call_2'), name: 'read_file', arguments: '{"path":"b.txt"}' },
      ],
    },
    {
      role: 'tool',
      callId: callId('call_1'),
      outcome: { type: 'done', parts: [textPart('1|hello')] },
      steering: [],
    },
    { role: 'tool', callId: callId('call_2'), outcome: { type: 'failed', message: 'gone' }, steering: ['try c'] },
    { role: 'assistant', parts: [textPart('It says hello.')], calls: [] },
    { role: 'user', parts: [textPart('Thanks – 世界 😀')] },
  ],
  toolUse: 'forbidden',
  maxOutputTokens: 500,
  effort: 'low',
});

const sameForSdk: ChatCompletionCreateParamsStreaming = {
  model: 'gpt-test',
  stream: true,
  stream_options: { include_usage: true },
  max_completion_tokens: 500,
  prompt_cache_key: 'ses_test',
  reasoning_effort: 'low',
  tool_choice: 'none',
  tools: [{ type: 'function', function: readFile }],
  messages: [
    { role: 'system', content: 'You are a test.' },
    { role: 'user', content: 'read a.txt and b.txt' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a.txt"}' } },
        { id: 'call_2', type: 'function', function: { name: 'read_file', arguments: '{"path":"b.txt"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: '1|hello' },
    { role: 'tool', tool_call_id: 'call_2', content: 'ERROR: gone\n\n<user-message>\ntry c\n</user-message>' },
    { role: 'assistant', content: 'It says hello.' },
    { role: 'user', content: 'Thanks – 世界 😀' },
  ],
};

test("the vendor's SDK sends the same body to the same address for the same conversation", async () => {
  await using server = await startModelServer([says('one'), says('two')]);
  await using chat = openChat(server, {
    runtime: { vendor: 'openai', credential: { type: 'key', reveal: () => 'test-key' } },
  });

  await ask(chat, conversation);
  await Array.fromAsync(await openSdk(server).chat.completions.create(sameForSdk));

  const [ours, theirs] = server.requests;
  assert.deepEqual(ours?.json, theirs?.json);
  assert.deepEqual(
    [ours?.method, ours?.path, ours?.headers['authorization'], ours?.headers['content-type']],
    [theirs?.method, theirs?.path, theirs?.headers['authorization'], theirs?.headers['content-type']],
  );
});

const usage = {
  prompt_tokens: 100,
  prompt_tokens_details: { cached_tokens: 60 },
  completion_tokens: 30,
  completion_tokens_details: { reasoning_tokens: 12 },
  total_tokens: 130,
};

const answers: Readonly<Record<string, ModelStep>> = {
  'a text': says('Hello you there', { usage }),
  'a text in several scripts': says('Grüße an 世界 😀', { usage }),
  'a text that was cut by length': says('Hello you', { finish: 'length', usage }),
  'a filtered text': says('Hello', { finish: 'content_filter', usage }),
  'a call after a text': callsTool('terminal', { command: 'echo a long command' }, { text: 'Wait.', usage }),
  'several calls': callsTools(
    [
      { name: 'a', args: { n: 1 } },
      { name: 'b', args: '{ "n" : 2 }', id: 'own' },
    ],
    { usage },
  ),
};

test("the vendor's SDK gets the same answer from the same stream", async () => {
  for (const [name, step] of Object.entries(answers)) {
    await using theirServer = await startModelServer([step]);
    await using ourServer = await startModelServer([step]);
    await using chat = openChat(ourServer);

    const stream = openSdk(theirServer).chat.completions.stream({
      model: 'gpt-test',
      messages: [{ role: 'user', content: 'hello' }],
      stream_options: { include_usage: true },
    });
    const theirs = await stream.finalChatCompletion();
    const ours = await askForEnd(chat);

    assert.deepEqual(ours, { type: 'finished', ...inOurTerms(theirs) }, name);
  }
});

const finishes: Readonly<Record<string, Finish>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'calls',
  content_filter: 'filtered',
};

/** An answer as the SDK understood it, in our terms. */
function inOurTerms({ choices: [choice], usage: counted }: ChatCompletion): object {
  const text = choice?.message.content ?? '';
  const calls = (choice?.message.tool_calls ?? []).flatMap((call) => (call.type === 'function' ? [call] : []));
  const cacheRead = counted?.prompt_tokens_details?.cached_tokens ?? 0;
  return {
    message: {
      role: 'assistant',
      parts: text === '' ? [] : [textPart(text)],
      calls: calls.map((call) => ({ id: call.id, name: call.function.name, arguments: call.function.arguments })),
    },
    finish: finishes[choice?.finish_reason ?? ''],
    usage: {
      fresh: (counted?.prompt_tokens ?? 0) - cacheRead,
      cacheRead,
      cacheWrite: 0,
      output: counted?.completion_tokens,
      reasoning: counted?.completion_tokens_details?.reasoning_tokens,
    },
  };
}

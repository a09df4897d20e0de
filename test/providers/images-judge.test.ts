import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import type { ResponseCreateParamsStreaming } from 'openai/resources/responses/responses';

import type { BlobId } from '../../src/base/ids.ts';
import { textPart } from '../../src/model/message.ts';
import type { ImagePart } from '../../src/model/message.ts';
import { saysAnthropic } from '../support/anthropic-script.ts';
import { says } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import type { ModelServer } from '../support/model-server.ts';
import { base64Of, picture } from '../support/pictures.ts';
import { saysResponses } from '../support/responses-script.ts';
import { openAnthropic } from './anthropic-setup.ts';
import { ask, openChat, requestOf } from './chat-setup.ts';
import { openResponses } from './openai-responses-setup.ts';

const dark = base64Of(picture(1));
const light = base64Of(picture(250));

function imageOf(blob: string, mediaType: ImagePart['mediaType']): ImagePart {
  return { type: 'image', blob: blob as BlobId, mediaType, bytes: 100, name: 'a.png' };
}

/** Pictures with words, without words, and one that is not there any more. */
const request = requestOf({
  model: 'some-model',
  system: '',
  messages: [
    { role: 'user', parts: [imageOf('dark', 'image/png'), imageOf('light', 'image/webp'), textPart('Compare.')] },
    { role: 'assistant', parts: [textPart('One is darker.')], calls: [] },
    { role: 'user', parts: [imageOf('dark', 'image/png'), textPart(' ')] },
    { role: 'assistant', parts: [textPart('Dark.')], calls: [] },
    { role: 'user', parts: [imageOf('gone', 'image/gif'), textPart('And this?')] },
  ],
  images: new Map([
    ['dark' as BlobId, dark],
    ['light' as BlobId, light],
  ]),
  maxOutputTokens: 100,
});
const mention = '[an image: a.png, image/gif, 1 KB]\nAnd this?';

test("OpenAI's SDK sends the same chat completions body for the same pictures", async () => {
  await using server = await startModelServer([says('one'), says('two')]);
  await using chat = openChat(server, { runtime: { vendor: 'openai' } });
  const same: ChatCompletionCreateParamsStreaming = {
    model: 'some-model',
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: 100,
    prompt_cache_key: 'ses_test',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: `data:image/png;base64,${dark}` } },
          { type: 'image_url', image_url: { url: `data:image/webp;base64,${light}` } },
          { type: 'text', text: 'Compare.' },
        ],
      },
      { role: 'assistant', content: 'One is darker.' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${dark}` } }] },
      { role: 'assistant', content: 'Dark.' },
      { role: 'user', content: mention },
    ],
  };

  await ask(chat, request);
  const sdk = new OpenAI({ apiKey: 'test-key', baseURL: server.baseUrl, maxRetries: 0 });
  await Array.fromAsync(await sdk.chat.completions.create(same));

  assertEqualBodies(server);
});

test("OpenAI's SDK sends the same Responses body for the same pictures", async () => {
  await using server = await startModelServer([saysResponses('one'), saysResponses('two')]);
  await using client = openResponses(server);
  const same = {
    model: 'some-model',
    stream: true,
    store: false,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: 'ses_test',
    max_output_tokens: 100,
    input: [
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_image', image_url: `data:image/png;base64,${dark}`, detail: 'auto' },
          { type: 'input_image', image_url: `data:image/webp;base64,${light}`, detail: 'auto' },
          { type: 'input_text', text: 'Compare.' },
        ],
      },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'One is darker.' }] },
      {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_image', image_url: `data:image/png;base64,${dark}`, detail: 'auto' }],
      },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Dark.' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: mention }] },
    ],
  };

  await ask(client, request);
  const sdk = new OpenAI({ apiKey: 'test-key', baseURL: server.baseUrl, maxRetries: 0 });
  await sdk.responses.stream(same as unknown as ResponseCreateParamsStreaming).finalResponse();

  assertEqualBodies(server);
});

test("Anthropic's SDK sends an equal body for the same pictures, with the cache marker on one that stands last", async () => {
  await using server = await startModelServer([saysAnthropic('one'), saysAnthropic('two')]);
  await using client = openAnthropic(server);
  const marker = { type: 'ephemeral' } as const;
  const png = { type: 'base64', media_type: 'image/png', data: dark } as const;
  const same: Anthropic.MessageCreateParamsStreaming = {
    model: 'some-model',
    stream: true,
    max_tokens: 100,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', source: png },
          { type: 'image', source: { type: 'base64', media_type: 'image/webp', data: light } },
          { type: 'text', text: 'Compare.' },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'One is darker.', cache_control: marker }] },
      { role: 'user', content: [{ type: 'image', source: png, cache_control: marker }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Dark.', cache_control: marker }] },
      { role: 'user', content: [{ type: 'text', text: mention, cache_control: marker }] },
    ],
  };

  await ask(client, request);
  const settings = { apiKey: 'test-key', authToken: null, maxRetries: 0, logLevel: 'off' as const };
  await Array.fromAsync(await new Anthropic({ baseURL: server.origin, ...settings }).messages.create(same));

  assertEqualBodies(server);
});

function assertEqualBodies({ requests: [ours, theirs] }: ModelServer): void {
  assert.notEqual(ours?.json, undefined);
  assert.deepEqual(ours?.json, theirs?.json);
}

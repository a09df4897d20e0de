import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Json, JsonObject } from '../../src/base/json.ts';
import type { RefusalKind } from '../../src/model/provider.ts';
import { failsWith } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { askForEnd, openChat } from './chat-setup.ts';

interface Case {
  readonly vendor: string;
  readonly status: number;
  readonly body: Json;
  readonly kind: RefusalKind;
}

function openai(status: number, error: JsonObject, kind: RefusalKind): Case {
  return { vendor: 'OpenAI', status, body: { error }, kind };
}

function anthropic(status: number, type: string, message: string, kind: RefusalKind): Case {
  return { vendor: 'Anthropic', status, body: { type: 'error', error: { type, message } }, kind };
}

function said(vendor: string, status: number, message: string, kind: RefusalKind): Case {
  return { vendor, status, body: { error: { message, code: status } }, kind };
}

const invalid = 'invalid_request_error';

/** Errors in the shape in which each vendor sends them. */
const cases: readonly Case[] = [
  openai(401, { message: 'Incorrect API key provided', type: invalid, code: 'invalid_api_key' }, 'auth'),
  openai(404, { message: 'The model does not exist', type: invalid, code: 'model_not_found' }, 'not-found'),
  openai(400, { message: 'no', type: invalid, code: 'context_length_exceeded' }, 'overflow'),
  openai(400, { message: 'no', type: invalid, code: 'invalid_encrypted_content' }, 'stale-reasoning'),
  openai(400, { message: 'no', type: invalid, code: 'content_policy_violation' }, 'filtered'),
  openai(400, { message: 'no', type: invalid, code: 'unsupported_image_media_type' }, 'images'),
  openai(400, { message: 'no', type: invalid, code: 'image_content_policy_violation' }, 'filtered'),
  openai(
    400,
    { message: 'Invalid content type. image_url is only supported by certain models.', type: invalid, code: null },
    'images',
  ),
  openai(400, { message: 'unknown parameter', type: invalid, code: 'unknown_parameter' }, 'bad-request'),
  openai(429, { message: 'no', type: 'insufficient_quota', code: 'insufficient_quota' }, 'billing'),
  openai(429, { message: 'Rate limit reached', type: 'tokens', code: 'rate_limit_exceeded' }, 'rate-limit'),
  openai(429, { message: 'Request too large for gpt-x', type: 'tokens', code: 'rate_limit_exceeded' }, 'overflow'),
  openai(500, { message: 'oops', type: 'server_error', code: null }, 'server'),
  anthropic(400, invalid, 'prompt is too long: 214323 tokens > 200000 maximum', 'overflow'),
  anthropic(400, invalid, 'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000', 'overflow'),
  anthropic(413, 'request_too_large', 'Request exceeds the maximum size', 'overflow'),
  anthropic(400, invalid, 'messages.1.content.0: Invalid `signature` in `thinking` block', 'stale-reasoning'),
  anthropic(
    400,
    invalid,
    'messages.3.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.',
    'stale-reasoning',
  ),
  anthropic(400, invalid, 'Your credit balance is too low to access the Anthropic API.', 'billing'),
  anthropic(400, invalid, 'Output blocked by content filtering policy', 'filtered'),
  anthropic(
    400,
    invalid,
    'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6275800 bytes > 5242880 bytes',
    'images',
  ),
  anthropic(
    400,
    invalid,
    'messages.11.content.8.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels',
    'images',
  ),
  anthropic(400, invalid, 'Could not process image', 'images'),
  anthropic(400, invalid, 'max_tokens: 64000 > 32000', 'bad-request'),
  said(
    'vLLM',
    400,
    "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 8192 tokens and your request has 900 input tokens (32000 > 8192 - 900).",
    'bad-request',
  ),
  said(
    'OpenAI',
    400,
    'max_tokens is too large: 32000. This model supports at most 4096 completion tokens, whereas you provided 32000.',
    'bad-request',
  ),
  said(
    'vLLM',
    400,
    "This model's maximum context length is 8192 tokens. However, your request has 9000 input tokens. Please reduce the length of the input messages.",
    'overflow',
  ),
  anthropic(403, 'permission_error', 'no', 'forbidden'),
  anthropic(404, 'not_found_error', 'model: claude-x', 'not-found'),
  anthropic(529, 'overloaded_error', 'Overloaded', 'overloaded'),
  said('OpenRouter', 402, 'Insufficient credits', 'billing'),
  said('OpenRouter', 400, "This endpoint's maximum context length is 128000 tokens. However, …", 'overflow'),
  said('OpenRouter', 400, 'foo/bar is not a valid model ID', 'not-found'),
  said('OpenRouter', 403, 'x requires moderation on y. Your input was flagged for "z".', 'filtered'),
  said('vLLM', 400, "This model's maximum context length is 4096 tokens. However, you requested 5000", 'overflow'),
  said('Ollama', 400, 'prompt too long; exceeded max context length by 12 tokens', 'overflow'),
  said('xAI', 400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 'overflow'),
  said(
    'Mistral',
    400,
    'Prompt contains 40000 tokens, too large for model with 32768 maximum context length',
    'overflow',
  ),
  said('Kimi', 400, 'Invalid request: Your request exceeded model token limit: 262144', 'overflow'),
  said('MiniMax', 400, 'invalid params, context window exceeds limit (2013)', 'overflow'),
  said('DeepSeek', 400, 'Content Exists Risk', 'filtered'),
  said('OpenRouter', 404, 'No endpoints found that support image input', 'images'),
  said(
    'DeepSeek',
    400,
    'Failed to deserialize the JSON body into the target type: messages[2]: unknown variant `image_url`, expected `text` at line 1 column 30',
    'images',
  ),
  said('Groq', 400, 'messages[0].content must be a string', 'images'),
  said('Ollama', 400, 'this model does not support image input', 'images'),
  said('Ollama', 500, 'this model is missing data required for image input', 'images'),
  said(
    'llama.cpp',
    500,
    'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
    'images',
  ),
  said('vLLM', 400, '/models/deepseek-ai/DeepSeek-V3 is not a multimodal model', 'images'),
  said('vLLM', 400, 'At most 0 image(s) may be provided in one prompt.', 'images'),
  said('Gemini', 400, 'Unable to process input image. Please retry or report in https://…', 'images'),
  {
    vendor: 'llama.cpp',
    status: 400,
    body: { error: { code: 400, message: 'no', type: 'exceed_context_size_error', n_ctx: 4096 } },
    kind: 'overflow',
  },
  {
    vendor: 'Kimi',
    status: 429,
    body: { error: { type: 'exceeded_current_quota_error', message: 'no' } },
    kind: 'billing',
  },
  {
    vendor: 'Kimi',
    status: 429,
    body: { error: { type: 'engine_overloaded_error', message: 'no' } },
    kind: 'overloaded',
  },
  { vendor: 'Z.ai', status: 429, body: { error: { code: '1113', message: 'Insufficient balance' } }, kind: 'billing' },
  {
    vendor: 'Gemini',
    status: 400,
    body: [
      {
        error: {
          code: 400,
          message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
    kind: 'overflow',
  },
  {
    vendor: 'Gemini',
    status: 400,
    body: [{ error: { code: 400, message: 'no', details: [{ reason: 'API_KEY_INVALID' }] } }],
    kind: 'auth',
  },
  {
    vendor: 'OpenRouter, for another vendor',
    status: 400,
    body: {
      error: {
        code: 400,
        message: 'Provider returned error',
        metadata: {
          raw: JSON.stringify({ error: { type: invalid, code: 'context_length_exceeded', message: 'no' } }),
        },
      },
    },
    kind: 'overflow',
  },
  { vendor: 'a proxy', status: 413, body: '<html><title>413 Request Entity Too Large</title>', kind: 'overflow' },
  { vendor: 'a proxy', status: 408, body: '', kind: 'server' },
  { vendor: 'a proxy', status: 418, body: '', kind: 'bad-request' },
  {
    vendor: 'a server that repeats what was said to it',
    status: 422,
    body: { detail: [{ msg: 'field required', input: 'prompt is too long' }] },
    kind: 'bad-request',
  },
];

for (const { vendor, status, body, kind } of cases) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);

  test(`${kind} is what ${vendor} means by ${status} ${text.slice(0, 120)}`, async () => {
    await using server = await startModelServer([failsWith(status, text)]);
    await using chat = openChat(server);

    const end = await askForEnd(chat);

    assert.equal(end?.type === 'failed' && end.failure.type === 'http' && end.failure.kind, kind);
  });
}

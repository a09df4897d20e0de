import assert from 'node:assert/strict';
import { test } from 'node:test';
import { says, sendsRaw } from '../support/model-script.ts';
import type { ModelScript } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';
import { openTestHouse } from '../support/test-house.ts';

const ollama: ModelScript = ({ path }) => {
  if (path === '/api/ps') return sendsRaw('{"models":[]}');
  if (path === '/api/show') return sendsRaw('{"model_info":{"qwen3.context_length":40960}}');
  return says('hello');
};

test('a model that Ollama serves with its small default window is noticed, and the user is told what to do', async () => {
  await using server = await startModelServer(ollama);
  const model = { provider: 'ollama', base_url: server.baseUrl, default: 'qwen3' };
  await using house = await openTestHouse({ script: [], settings: { model } });

  assert.deepEqual(house.warnings, [
    'ollama:qwen3 is served with a window of only 4,096 tokens, so long work is shortened often; start Ollama with OLLAMA_CONTEXT_LENGTH=32768, or give the model a larger num_ctx',
  ]);
  assert.equal(await house.say('hi'), 'hello');
});

test('a window that the settings name is believed, and nobody asks for it', async () => {
  await using server = await startModelServer(ollama);
  const model = { provider: 'ollama', base_url: server.baseUrl, default: 'qwen3', context_length: 8192 };
  await using house = await openTestHouse({ script: [], settings: { model } });

  assert.deepEqual(house.warnings, []);
  assert.deepEqual(server.requests, []);
});

test('a window that is large enough is no news', async () => {
  await using server = await startModelServer(ollama);
  const model = { provider: 'ollama', base_url: server.baseUrl, default: 'qwen3' };
  await using house = await openTestHouse({
    script: [],
    settings: { model },
    env: { OLLAMA_CONTEXT_LENGTH: '32768' },
  });

  assert.deepEqual(house.warnings, []);
});

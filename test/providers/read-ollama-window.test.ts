import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { JsonObject } from '../../src/base/json.ts';
import { readOllamaWindow } from '../../src/providers/read-ollama-window.ts';
import type { WindowOptions } from '../../src/providers/read-ollama-window.ts';
import { failsWith, sendsRaw, staysSilent } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';

interface Machine {
  readonly loaded?: readonly JsonObject[];
  readonly shown?: JsonObject;
}

/** Asks an Ollama that has these models in memory and describes the model in this way. */
async function windowOf(machine: Machine, model = 'qwen3', options: WindowOptions = {}): Promise<number | undefined> {
  await using server = await startModelServer(({ path, json }) => {
    if (path === '/api/ps') return sendsRaw(JSON.stringify({ models: machine.loaded ?? [] }));
    const isKnown = path === '/api/show' && json?.['model'] === model && machine.shown !== undefined;
    return isKnown ? sendsRaw(JSON.stringify(machine.shown)) : failsWith(404, { error: 'model not found' });
  });
  return await readOllamaWindow(server.origin, model, { patienceMs: 30_000, ...options });
}

const info = { 'general.architecture': 'qwen3', 'qwen3.context_length': 40_960 };

test('the window of a loaded model is the one that it was loaded with', async () => {
  const loaded = [
    { name: 'other:latest', context_length: 999 },
    { name: 'qwen3:latest', context_length: 8192 },
  ];
  const shown = { parameters: 'num_ctx 32768', model_info: info };

  assert.equal(await windowOf({ loaded, shown }), 8192);
  assert.equal(await windowOf({ loaded, shown }, 'qwen3:latest'), 8192);
  assert.equal(await windowOf({ loaded, shown }, 'qwen3:8b'), 32_768);
});

test('a model that is not loaded will get what its file, the environment or the default gives it', async () => {
  const parameters = 'stop                           "<|im_start|>"\nnum_ctx                        16384\ntop_k 20';
  const table: readonly (readonly [JsonObject, string | undefined, number])[] = [
    [{ parameters, model_info: info }, '64000', 16_384],
    [{ parameters: 'top_k 20', model_info: info }, '8192', 8192],
    [{ model_info: info }, '64000', 40_960],
    [{ model_info: info }, undefined, 4096],
    [{ model_info: info }, 'much', 4096],
    [{ model_info: { 'bert.context_length': 512 } }, undefined, 512],
    [{}, undefined, 4096],
  ];
  for (const [shown, contextLength, expected] of table) {
    assert.equal(await windowOf({ shown }, 'qwen3', { contextLength }), expected, JSON.stringify(shown));
  }
});

test('a model in the cloud of Ollama is served with all of its window', async () => {
  const shown = { model_info: { 'deepseek.context_length': 163_840 } };

  assert.equal(await windowOf({ shown }, 'deepseek-v3.1:671b-cloud'), 163_840);
});

test('where no Ollama answers, or it does not have the model, the window is not known', async () => {
  assert.equal(await windowOf({}), undefined);

  await using silent = await startModelServer(() => staysSilent());
  assert.equal(await readOllamaWindow(silent.origin, 'qwen3', { patienceMs: 10 }), undefined);

  const closed = await startModelServer();
  const { origin } = closed;
  await closed.close();
  assert.equal(await readOllamaWindow(origin, 'qwen3'), undefined);
});

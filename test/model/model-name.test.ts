import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkConfig } from '../../src/model/config.ts';
import type { Config } from '../../src/model/config.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { readDefaultModel, readModelName } from '../../src/model/model-name.ts';

const providers = ['openai', 'mistral', 'ollama', 'custom'];
const nothing = {
  default: undefined,
  provider: undefined,
  baseUrl: undefined,
  apiMode: undefined,
  keyEnv: [],
  keyCommands: [],
  contextLength: undefined,
};

function configOf(settings: JsonObject): Config {
  const checked = checkConfig(settings);
  assert.ok(checked.type === 'valid');
  return checked.config;
}

const home = {
  provider: 'custom',
  base_url: 'http://home/v1',
  default: 'big',
  context_length: 9000,
  key_env: 'HOME_KEY',
};
const settings = configOf({
  model: { ...home, aliases: { quick: 'openai:small', plain: 'tiny' } },
  fallback: [
    { provider: 'openai', model: 'std', base_url: 'http://proxy/v1', key_env: 'PROXY_KEY' },
    { provider: 'custom', model: 'far', base_url: 'http://far/v1', key_env: 'FAR_KEY' },
  ],
});
const atHome = { ...nothing, provider: 'custom', baseUrl: 'http://home/v1', keyEnv: ['HOME_KEY'] };
const atProxy = { ...nothing, provider: 'openai', baseUrl: 'http://proxy/v1', keyEnv: ['PROXY_KEY'] };

for (const [what, written, choice] of [
  ['a plain name is a model of the configured provider', 'small', { ...atHome, default: 'small' }],
  ['the configured model keeps its window', 'big', { ...atHome, default: 'big', contextLength: 9000 }],
  ['an alias stands for its model', 'quick', { ...atProxy, default: 'small' }],
  ['an alias can be a plain name', 'plain', { ...atHome, default: 'tiny' }],
  ['a provider of the settings keeps its address and key', 'openai:gpt', { ...atProxy, default: 'gpt' }],
  [
    'a provider that the settings do not name has neither',
    'mistral:m',
    { ...nothing, provider: 'mistral', default: 'm' },
  ],
  [
    'a stand-in is asked at its own address with its own key',
    'custom:far',
    { ...nothing, provider: 'custom', baseUrl: 'http://far/v1', keyEnv: ['FAR_KEY'], default: 'far' },
  ],
  ['a tag stays with the model', 'ollama:mistral:7b', { ...nothing, provider: 'ollama', default: 'mistral:7b' }],
  ['a slash before the colon is no provider', 'a/b:free', { ...atHome, default: 'a/b:free' }],
  ['a provider alone asks for its usual model', 'openai:', { ...atProxy, default: undefined }],
] as const) {
  test(what, () => {
    assert.deepEqual(readModelName(written, settings, providers), { choice, doubtful: undefined });
  });
}

test('a word before a colon that is no provider is doubtful', () => {
  assert.equal(readModelName('opnai:gpt', settings, providers).doubtful, 'opnai');
});

test('the default is an alias or a model of the provider beside it, whatever it looks like', () => {
  const alias = configOf({
    model: { provider: 'custom', base_url: 'http://a/v1', default: 'q', aliases: { q: 'openai:x' } },
  });
  const tagged = configOf({ model: { provider: 'ollama', default: 'mistral:7b' } });
  const alone = configOf({ model: { default: 'openai:x' } });

  assert.deepEqual(readDefaultModel(alias, providers), { ...nothing, provider: 'openai', default: 'x' });
  assert.equal(readDefaultModel(tagged, providers).default, 'mistral:7b');
  assert.deepEqual(readDefaultModel(alone, providers), { ...nothing, provider: 'openai', default: 'x' });
});

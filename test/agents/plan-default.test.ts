import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planDefault } from '../../src/agents/plan-default.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { checkConfig } from '../../src/model/config.ts';
import type { Config, ModelChoice } from '../../src/model/config.ts';

const providers = ['openai', 'groq', 'custom', 'demo'];
const nothing = { baseUrl: undefined, apiMode: undefined, keyEnv: [], keyCommands: [], contextLength: undefined };
const demo: ModelChoice = { ...nothing, provider: 'demo', default: 'demo' };

function configOf(settings: JsonObject): Config {
  const checked = checkConfig(settings);
  assert.ok(checked.type === 'valid');
  return checked.config;
}

const atHome = { provider: 'custom', base_url: 'http://home/v1', key_env: ['A', 'B'], default: 'big' };

test('what was set for the old provider is kept aside under its name, with the way back', () => {
  const config = configOf({ model: { ...atHome, context_length: 9000 } });

  const { changes, notes } = planDefault(demo, { config, providers, vendor: undefined });

  const place = {
    base_url: undefined,
    api_mode: undefined,
    key_env: undefined,
    key_command: undefined,
    context_length: undefined,
  };
  assert.deepEqual(changes, [
    { path: ['model'], values: { default: 'demo', provider: 'demo', ...place } },
    {
      path: ['providers'],
      values: { custom: { model: 'big', base_url: 'http://home/v1', key_env: ['A', 'B'], context_length: 9000 } },
    },
  ]);
  assert.deepEqual(notes, [
    'What was set for custom (base_url, key_env, context_length) is kept under providers.custom; `talaria model set custom:big` goes back.',
  ]);
});

test('another model at the same place keeps nothing aside, and says that the window of the old one is taken out', () => {
  const config = configOf({ model: { ...atHome, context_length: 9000 } });
  const choice = { ...nothing, provider: 'custom', default: 'small', baseUrl: 'http://home/v1', keyEnv: ['A', 'B'] };

  const { changes, notes } = planDefault(choice, { config, providers, vendor: undefined });

  assert.deepEqual(
    changes.map(({ path }) => path),
    [['model']],
  );
  assert.deepEqual(notes, ['context_length: 9000 was for big and is taken out.']);
});

test('what was kept aside and is the default again is not kept twice', () => {
  const aside = { custom: { model: 'big', base_url: 'http://home/v1' }, groq: { model: 'quick' } };
  const config = configOf({ model: { provider: 'demo', default: 'demo' }, providers: aside });
  const back = { ...nothing, provider: 'custom', default: 'big', baseUrl: 'http://home/v1' };

  assert.deepEqual(planDefault(back, { config, providers, vendor: undefined }).changes.slice(1), [
    { path: ['providers'], values: { custom: undefined } },
  ]);
  const last = configOf({ model: { provider: 'demo' }, providers: { custom: aside.custom } });
  assert.deepEqual(planDefault(back, { config: last, providers, vendor: undefined }).changes.slice(1), [
    { path: [], values: { providers: undefined } },
  ]);
});

test('what was kept aside and says more than the new default stays', () => {
  const aside = { custom: { model: 'big', base_url: 'http://home/v1', context_length: 9000 } };
  const config = configOf({ model: { provider: 'demo', default: 'demo' }, providers: aside });
  const other = { ...nothing, provider: 'custom', default: 'small', baseUrl: 'http://home/v1' };

  assert.equal(planDefault(other, { config, providers, vendor: undefined }).changes.length, 1);
});

test('two addresses change places, and a third one is said to be in the copy alone', () => {
  const aside = { custom: { model: 'far', base_url: 'http://far/v1' } };
  const config = configOf({ model: atHome, providers: aside });
  const far = { ...nothing, provider: 'custom', default: 'far', baseUrl: 'http://far/v1' };

  const swapped = planDefault(far, { config, providers, vendor: undefined });
  const displaced = planDefault(demo, { config, providers, vendor: undefined });

  const home = { custom: { model: 'big', base_url: 'http://home/v1', key_env: ['A', 'B'] } };
  assert.deepEqual(swapped.changes.slice(1), [{ path: ['providers'], values: home }]);
  assert.equal(swapped.notes.length, 1);
  assert.deepEqual(displaced.changes.slice(1), [{ path: ['providers'], values: home }]);
  assert.equal(displaced.notes.at(-1), 'What providers.custom said before is only in the copy of the settings now.');
});

test('an alias without a provider goes on meaning the same model', () => {
  const aliases = { fast: 'small', far: 'groq:quick', self: 'self', play: 'demo' };
  const configured = configOf({ model: { ...atHome, aliases } });
  const found = configOf({ model: { aliases } });

  const named = planDefault(demo, { config: configured, providers, vendor: undefined });
  const unnamed = planDefault(demo, { config: found, providers, vendor: 'openai' });

  assert.deepEqual(named.changes.at(-1), { path: ['model', 'aliases'], values: { fast: 'custom:small' } });
  assert.deepEqual(named.notes.at(-1), 'The alias fast stands for custom:small, as before, and says so now.');
  assert.deepEqual(unnamed.changes.at(-1), { path: ['model', 'aliases'], values: { fast: 'openai:small' } });
});

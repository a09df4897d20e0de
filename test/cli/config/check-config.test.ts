import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/base/json.ts';
import { openDesk } from '../support/program.ts';

const inOrder = 'The settings are in order.\n';

const cases: readonly {
  readonly title: string;
  readonly settings: JsonObject;
  readonly env?: Readonly<Record<string, string>>;
  readonly says: RegExp;
  readonly code: number;
}[] = [
  {
    title: 'a provider that nobody knows is named, with those that are known',
    settings: { model: { provider: 'opneai', default: 'gpt' } },
    says: /^\S+config\.json:1:22: unknown provider opneai \(did you mean openai\?\): the known ones are .*openai.*\n$/,
    code: 78,
  },
  {
    title: 'a provider without a key is named, with the variable to set',
    settings: { model: { provider: 'anthropic' } },
    says: /^\S+config\.json:1:22: the provider anthropic has no key: set ANTHROPIC_API_KEY\n$/,
    code: 78,
  },
  {
    title: 'a provider whose key is in the environment is in order',
    settings: { model: { provider: 'anthropic' } },
    env: { ANTHROPIC_API_KEY: 'sk-test' },
    says: /^The settings are in order\.\n$/,
    code: 0,
  },
  {
    title: 'an exception for private hosts that names none is a warning',
    settings: {
      model: { provider: 'demo' },
      search: { allow_private: ['nas.local', '10.0.0.0/8', 'http://nas.local/'] },
    },
    says: /^\S+config\.json:\d+:\d+: search\.allow_private: http:\/\/nas\.local\/ is no host: write it alone, as nas\.local, .*\n$/,
    code: 0,
  },
  {
    title: 'so is one for the browser',
    settings: { model: { provider: 'demo' }, browser: { allow_private: ['10.0.0.0/8', '*.local'] } },
    says: /^\S+config\.json:\d+:\d+: browser\.allow_private: \*\.local is no host: write it alone, as nas\.local, .*\n$/,
    code: 0,
  },
  {
    title: 'a toolset that there is not is a warning with the nearest name, and the name of an MCP server is none',
    settings: {
      model: { provider: 'demo' },
      agent: { disabled_toolsets: ['trminal', 'sea', 'web'] },
      platform_toolsets: { telegram: ['fiel', 'sea'], terminal: ['everything'] },
      mcp_servers: { sea: { command: 'sea' } },
    },
    says: new RegExp(
      [
        '^\\S+:1:\\d+: agent\\.disabled_toolsets: trminal is neither a toolset nor .*; did you mean terminal\\?',
        '\\S+:1:\\d+: platform_toolsets\\.telegram: fiel is neither a toolset nor .*; did you mean file\\?',
        '\\S+:1:\\d+: platform_toolsets\\.terminal: everything is neither a toolset nor an MCP server of the settings\\n$',
      ].join('\\n'),
    ),
    code: 0,
  },
  {
    title: 'a fallback that would be left out is a warning',
    settings: { model: { provider: 'demo' }, fallback: { provider: 'openai', model: 'gpt' } },
    says: /^a fallback is left out: the provider openai has no key: set OPENAI_API_KEY\n$/,
    code: 0,
  },
  {
    title: 'a model that cannot be used beside a fallback that can is a warning, and says who answers',
    settings: { model: { provider: 'anthropic' }, fallback: [{ provider: 'demo' }] },
    says: /^the provider anthropic has no key: set ANTHROPIC_API_KEY; demo:demo, a fallback, answers instead\n$/,
    code: 0,
  },
  {
    title: 'variables in key_env of which none is set are named, and that the model is asked without a key',
    settings: { model: { provider: 'custom', base_url: 'http://127.0.0.1:1/v1', default: 'm', key_env: ['K1', 'K2'] } },
    says: /^K1, K2 are named in key_env, but none of them is set: custom:m is asked without a key\n$/,
    code: 0,
  },
  {
    title: 'the one variable in key_env is named where it is not set, and that the model is asked without a key',
    settings: { model: { provider: 'custom', base_url: 'http://127.0.0.1:1/v1', default: 'm', key_env: 'K1' } },
    says: /^K1 is named in key_env, but is not set: custom:m is asked without a key\n$/,
    code: 0,
  },
  {
    title: 'an alias that cannot be used is named, with what is missing',
    settings: { model: { provider: 'demo', aliases: { far: 'groq:llama', near: 'demo' } } },
    says: /^the alias far cannot be used: the provider groq has no key: set GROQ_API_KEY\n$/,
    code: 0,
  },
  {
    title: 'an alias that stands for itself or for another one, and a price of nothing, are pointed at',
    settings: {
      model: { provider: 'demo', aliases: { a: 'a', b: 'c', c: 'demo:demo' } },
      prices: { mock: { inptu: 3 } },
    },
    says: new RegExp(
      [
        '^\\S+:1:\\d+: the alias a stands for itself: name a provider:model there',
        '\\S+:1:\\d+: the alias b stands for c, which is an alias, too: name a provider:model there',
        '\\S+:1:\\d+: prices\\.mock is the price of nothing: models are named provider:model there',
        '\\S+:1:\\d+: unknown key prices\\.mock\\.inptu is ignored; did you mean input\\?\\n$',
      ].join('\\n'),
    ),
    code: 0,
  },
  {
    title: 'limits with a model of unknown price are said to stop every turn, with the keys that help',
    settings: {
      model: { provider: 'custom', base_url: 'http://127.0.0.1:1/v1', default: 'm' },
      limits: { per_day: 5 },
    },
    says: /the price of custom:m is not known, .*: set prices\."custom:m" \(input and output\) in the settings, or take out limits; until then every turn with it is stopped\n$/,
    code: 0,
  },
  {
    title: 'a limit that no answer fits into is said to stop every turn, with the keys that help',
    settings: {
      model: { provider: 'custom', base_url: 'http://127.0.0.1:1/v1', default: 'm' },
      limits: { per_turn: 0.25, per_day: 5 },
      prices: { 'custom:m': { input: 3, output: 15 } },
    },
    says: /^limits\.per_turn is \$0\.25, and an answer of custom:m may cost up to \$0\.48, so that it is never asked: raise it, or set model\.max_output_tokens\n$/,
    code: 0,
  },
  {
    title: 'a model without a provider is said to be up to Ollama where no provider has a key',
    settings: { model: { default: 'llama' } },
    says: /^the model is up to the Ollama at http:\/\/127\.0\.0\.1:\d+, which is not asked here\n$/,
    code: 0,
  },
];

for (const { title, settings, env, says, code } of cases) {
  test(title, async () => {
    await using desk = await openDesk();
    await desk.setConfig(settings);

    const checked = await desk.run(['config', 'check'], { env: env ?? {} });
    const forPrograms = await desk.run(['config', 'check', '--json'], { env: env ?? {} });

    assert.match(checked.stdout, says);
    assert.deepEqual([checked.stderr, checked.code, forPrograms.code], ['', code, code]);
    const { ok, problems, warnings } = JSON.parse(forPrograms.stdout) as Record<string, unknown>;
    assert.equal(ok, code === 0);
    assert.equal([problems, warnings].flat().join('\n'), checked.stdout.replace(inOrder, '').trimEnd());
  });
}

test('a key in the file of secrets counts', async () => {
  await using desk = await openDesk();
  await desk.setConfig({ model: { provider: 'anthropic' } });
  await writeFile(join(desk.home, '.env'), 'ANTHROPIC_API_KEY=sk-test\n', { mode: 0o600 });

  assert.deepEqual(await desk.run(['config', 'check']), { stdout: inOrder, stderr: '', code: 0 });
});

test('a check of the settings asks nobody, not even an Ollama on this machine', async () => {
  await using desk = await openDesk();
  await desk.setConfig({ model: { provider: 'ollama' } });
  let visits = 0;
  const server = createServer(() => (visits += 1)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const { stdout } = await desk.run(['config', 'check'], { env: { OLLAMA_HOST: `127.0.0.1:${port}` } });
  const closed = once(server, 'close');
  server.close();
  await closed;

  assert.match(stdout, new RegExp(`up to the Ollama at http://127.0.0.1:${port}, which is not asked`));
  assert.equal(visits, 0);
});

test('of a broken file only that is said', async () => {
  await using desk = await openDesk();
  await desk.setConfig({ model: { provider: 'opneai' } });
  await desk.run(['config', 'show']);
  await writeFile(join(desk.home, 'config.json'), '{ "model": ');

  const { stdout, stderr, code } = await desk.run(['config', 'check']);

  assert.match(stdout + stderr, /config\.json:1:\d+: /);
  assert.doesNotMatch(stdout + stderr, /unknown provider/);
  assert.equal(code, 78);
});

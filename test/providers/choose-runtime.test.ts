import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Config } from '../../src/model/config.ts';
import type { PrintedKey } from '../../src/model/runtime.ts';
import { chooseChain, chooseRuntime, ollamaOrigin } from '../../src/providers/choose-runtime.ts';
import type { Choice } from '../../src/providers/choose-runtime.ts';
import { probeOllama } from '../../src/providers/probe-ollama.ts';
import type { OllamaProbe } from '../../src/providers/probe-ollama.ts';
import { findVendor, vendors } from '../../src/providers/vendors.ts';
import { failsWith, sendsRaw, staysSilent } from '../support/model-script.ts';
import type { ModelStep } from '../support/model-script.ts';
import { startModelServer } from '../support/model-server.ts';

const nothing: Config['model'] = {
  default: undefined,
  provider: undefined,
  baseUrl: undefined,
  apiMode: undefined,
  keyEnv: [],
  keyCommands: [],
  contextLength: undefined,
  maxOutputTokens: undefined,
  effort: undefined,
  cacheLife: '5m',
  aliases: {},
};

/** A key that nobody asks for: choosing runs no command. */
const printedKey = (command: string): PrintedKey => ({
  command,
  obtain: () => Promise.reject(new Error(`${command} was run`)),
  discard: () => undefined,
});

interface Machine {
  readonly config?: Partial<Config['model']>;
  readonly env?: Readonly<Record<string, string>>;
  readonly ollama?: OllamaProbe;
}

async function chooseOn(machine: Machine): Promise<{ readonly choice: Choice; readonly probed: readonly string[] }> {
  const probed: string[] = [];
  const choice = await chooseRuntime({
    config: { ...nothing, ...machine.config },
    cacheLife: '5m',
    secret: (name) => machine.env?.[name],
    printedKey,
    probeOllama: (origin) => {
      probed.push(origin);
      return Promise.resolve(machine.ollama ?? { type: 'absent' });
    },
  });
  return { choice, probed };
}

/** The choice in a line: whom, which model, where, with which key, and why. */
async function describeChoice(machine: Machine): Promise<string> {
  const { choice } = await chooseOn(machine);
  if (choice.type === 'unusable') return choice.problem;
  const { runtime, because } = choice;
  const key = runtime.credential.type === 'key' ? runtime.credential.reveal() : 'no key';
  return `${runtime.name} at ${runtime.baseUrl} (${runtime.place}, ${key}) because ${because}`;
}

const ollamaWith = (...models: string[]): OllamaProbe => ({ type: 'present', models });

test('the config decides first, then a key, then a local Ollama, then the demo', async () => {
  const openai = 'https://api.openai.com/v1';
  const table: readonly (readonly [Machine, string])[] = [
    [{}, 'demo:demo at demo: (demo, no key) because nothing-else'],
    [{ ollama: ollamaWith() }, 'demo:demo at demo: (demo, no key) because nothing-else'],
    [
      { ollama: ollamaWith('llama3.3', 'qwen3') },
      'ollama:llama3.3 at http://127.0.0.1:11434/v1 (local, no key) because ollama',
    ],
    [{ env: { OPENAI_API_KEY: 'k' }, ollama: ollamaWith('x') }, `openai:gpt-5.4 at ${openai} (remote, k) because key`],
    [{ env: { OPENAI_API_KEY: '  ' } }, 'demo:demo at demo: (demo, no key) because nothing-else'],
    [
      { env: { MISTRAL_API_KEY: 'm', GROQ_API_KEY: ' g\n' } },
      'groq:openai/gpt-oss-120b at https://api.groq.com/openai/v1 (remote, g) because key',
    ],
    [
      { env: { OPENAI_API_KEY: 'k' }, config: { default: 'gpt-x' } },
      `openai:gpt-x at ${openai} (remote, k) because key`,
    ],
    [
      { env: { OPENAI_API_KEY: 'k', XAI_API_KEY: 'x' }, config: { provider: 'xai', default: 'grok-x' } },
      'xai:grok-x at https://api.x.ai/v1 (remote, x) because config',
    ],
    [
      {
        env: { OPENAI_API_KEY: 'k', MINE: 'm' },
        config: { provider: 'openai', baseUrl: 'https://proxy.example/v1', keyEnv: ['MINE'] },
      },
      'openai:gpt-5.4 at https://proxy.example/v1 (remote, m) because config',
    ],
    [
      { env: { OPENAI_API_KEY: 'k' }, config: { provider: 'demo' } },
      'demo:demo at demo: (demo, no key) because config',
    ],
    [
      { config: { provider: 'ollama', default: 'mine' } },
      'ollama:mine at http://127.0.0.1:11434/v1 (local, no key) because config',
    ],
    [
      { config: { provider: 'ollama' }, ollama: ollamaWith('found'), env: { OLLAMA_HOST: '10.0.0.7' } },
      'ollama:found at http://10.0.0.7:11434/v1 (local, no key) because config',
    ],
    [
      { config: { default: 'mine' }, ollama: ollamaWith('other') },
      'ollama:mine at http://127.0.0.1:11434/v1 (local, no key) because ollama',
    ],
  ];
  for (const [machine, expected] of table) assert.equal(await describeChoice(machine), expected);
});

test('a model at an address of its own gets no key but its own', async () => {
  const env = { OPENAI_API_KEY: 'secret-of-openai' };
  const config = { baseUrl: 'http://localhost:8080/v1', default: 'm' };

  assert.equal(
    await describeChoice({ env, config }),
    'custom:m at http://localhost:8080/v1 (local, no key) because config',
  );
  assert.equal(
    await describeChoice({
      env: { ...env, CUSTOM_API_KEY: 'c' },
      config: { ...config, baseUrl: 'https://m.example/v1' },
    }),
    'custom:m at https://m.example/v1 (remote, c) because config',
  );
});

test('the usual key of a vendor is found for no address but its own', async () => {
  const env = { OPENAI_API_KEY: 'k', OPENAI_API_KEY_2: 'k2' };
  const at = (baseUrl: string): Promise<string> => describeChoice({ env, config: { provider: 'openai', baseUrl } });

  assert.equal(
    await at('https://API.openai.com/v1/'),
    'openai:gpt-5.4 at https://API.openai.com/v1/ (remote, k) because config',
  );
  for (const foreign of ['https://proxy.example/v1', 'http://127.0.0.1:4000', 'http://api.openai.com/v1']) {
    assert.equal(
      await at(foreign),
      `model.base_url is not openai's own address: OPENAI_API_KEY is not sent to ${new URL(foreign).origin}; ` +
        'name the variable that holds its key in model.key_env',
    );
  }
});

test('a fallback at a foreign address is left out rather than given the usual key', async () => {
  const fallback = [{ ...nothing, provider: 'openai', default: 'm', baseUrl: 'https://proxy.example/v1' }];

  const [first, warning] = await chainOn({ env: { OPENAI_API_KEY: 'k' }, fallback });

  assert.equal(first, 'OPENAI_API_KEY=k for api.openai.com');
  assert.match(warning ?? '', /^a fallback is left out: model\.base_url is not openai's own address/);
});

/** The keys of all runtimes in the chain, in their order: variable, value and address; behind them, the warnings. */
async function chainOn(
  machine: Machine & {
    readonly fallback?: readonly Config['model'][];
    readonly ifUnusable?: 'stand-in' | 'refuse';
  },
): Promise<readonly string[]> {
  const choice = await chooseChain({
    config: { ...nothing, ...machine.config },
    fallback: machine.fallback ?? [],
    ifUnusable: machine.ifUnusable ?? 'refuse',
    cacheLife: '5m',
    secret: (name) => machine.env?.[name],
    printedKey,
    probeOllama: () => Promise.resolve(machine.ollama ?? { type: 'absent' }),
  });
  if (choice.type === 'unusable') return [choice.problem];
  const keys = choice.chain.map(({ keyName, credential, baseUrl }) => {
    const { host } = new URL(baseUrl);
    if (credential.type === 'printed') return `${keyName}=what ${credential.key.command} prints for ${host}`;
    return `${keyName}=${credential.type === 'key' ? credential.reveal() : ''} for ${host}`;
  });
  return [...keys, ...choice.warnings];
}

test('a first choice that cannot be used gives its place to the first stand-in that can, where that is wished', async () => {
  const machine = {
    env: { GROQ_API_KEY: 'g1' },
    config: { provider: 'anthropic' },
    fallback: [
      { ...nothing, provider: 'mistral', default: 'm' },
      { ...nothing, provider: 'groq', default: 'm' },
    ],
  };
  const problem = 'the provider anthropic has no key: set ANTHROPIC_API_KEY';

  assert.deepEqual(await chainOn({ ...machine, ifUnusable: 'stand-in' }), [
    'GROQ_API_KEY=g1 for api.groq.com',
    `${problem}; groq:m, a fallback, answers instead`,
    'a fallback is left out: the provider mistral has no key: set MISTRAL_API_KEY',
  ]);
  assert.deepEqual(await chainOn({ ...machine, ifUnusable: 'refuse' }), [problem]);
  assert.deepEqual(await chainOn({ ...machine, env: {}, ifUnusable: 'stand-in' }), [problem]);
});

test('all variables of key_env are named where none is set', async () => {
  const config = { provider: 'anthropic', keyEnv: ['K1', 'K2'] };

  assert.deepEqual(await chainOn({ config }), ['the provider anthropic has no key: set K1 or K2']);
});

test('every key of a vendor is a place in the chain, right behind the one before it', async () => {
  const env = {
    XAI_API_KEY: 'x1',
    XAI_API_KEY_2: ' x2\n',
    XAI_API_KEY_3: 'x3',
    XAI_API_KEY_5: 'x5',
    GROQ_API_KEY: 'g1',
  };
  const fallback = [{ ...nothing, provider: 'groq', default: 'm' }];

  assert.deepEqual(await chainOn({ env, config: { provider: 'xai' }, fallback }), [
    'XAI_API_KEY=x1 for api.x.ai',
    'XAI_API_KEY_2=x2 for api.x.ai',
    'XAI_API_KEY_3=x3 for api.x.ai',
    'GROQ_API_KEY=g1 for api.groq.com',
  ]);
  assert.deepEqual(await chainOn({ env: { XAI_API_KEY: 'x1', XAI_API_KEY_2: 'x2' } }), [
    'XAI_API_KEY=x1 for api.x.ai',
    'XAI_API_KEY_2=x2 for api.x.ai',
  ]);
});

test('the keys that the config names are the only ones, in its order, each once', async () => {
  const env = { XAI_API_KEY: 'x1', XAI_API_KEY_2: 'x2', WORK: 'w', HOME_KEY: 'h', SAME: 'w', WORK_2: 'w2' };
  const config = { provider: 'xai', keyEnv: ['WORK', 'MISSING', 'SAME', 'HOME_KEY'] };

  assert.deepEqual(await chainOn({ env, config }), [
    'WORK=w for api.x.ai',
    'HOME_KEY=h for api.x.ai',
    'MISSING is named in key_env, but is not set',
  ]);
});

test('a model at an address of its own may have several keys of its own', async () => {
  const env = { CUSTOM_API_KEY: 'c1', CUSTOM_API_KEY_2: 'c2', OPENAI_API_KEY: 'secret-of-openai' };
  const config = { baseUrl: 'https://m.example/v1', default: 'm' };

  assert.deepEqual(await chainOn({ env, config }), [
    'CUSTOM_API_KEY=c1 for m.example',
    'CUSTOM_API_KEY_2=c2 for m.example',
  ]);
});

test('an Ollama that asks for a key is given the one that the config names', async () => {
  const config = { provider: 'ollama', default: 'm', keyEnv: ['OLLAMA_API_KEY'], baseUrl: 'https://ollama.example/v1' };

  assert.deepEqual(await chainOn({ env: { OLLAMA_API_KEY: 'o' }, config }), ['OLLAMA_API_KEY=o for ollama.example']);
});

test('a config that cannot work says what to set', async () => {
  const table: readonly (readonly [Machine, RegExp])[] = [
    [{ config: { provider: 'anthropic' } }, /^the provider anthropic has no key: set ANTHROPIC_API_KEY$/],
    [
      { config: { provider: 'gpt' } },
      /^unknown provider gpt: the known ones are openai, anthropic, .*ollama, lmstudio, custom, demo$/,
    ],
    [{ config: { provider: 'lmstudio' } }, /needs a model: set model\.default$/],
    [{ config: { provider: 'custom' } }, /set model\.base_url$/],
    [{ config: { baseUrl: 'http://127.0.0.1:1/v1' } }, /set model\.default$/],
    [{ config: { baseUrl: 'localhost:8080' } }, /^model\.base_url is not an http/],
    [{ config: { provider: 'ollama' } }, /^no Ollama answers at http:\/\/127\.0\.0\.1:11434$/],
    [{ config: { provider: 'ollama' }, ollama: ollamaWith() }, /has no model/],
    [{ config: { default: 'gpt-x' } }, /^no provider can serve gpt-x: none has a key, .*; set model\.provider/],
  ];
  for (const [machine, expected] of table) assert.match(await describeChoice(machine), expected);
});

test('Ollama is asked only where nothing else decides', async () => {
  const withKey = await chooseOn({ env: { OPENAI_API_KEY: 'k' } });
  const withModel = await chooseOn({ config: { provider: 'ollama', default: 'mine' } });
  const bare = await chooseOn({});

  assert.deepEqual([withKey.probed, withModel.probed, bare.probed], [[], [], ['http://127.0.0.1:11434']]);
});

test('a runtime that is written down does not show its key', async () => {
  const { choice } = await chooseOn({ env: { OPENAI_API_KEY: 'secret-of-openai' } });

  assert.equal(JSON.stringify(choice).includes('secret-of-openai'), false);
});

test('OLLAMA_HOST is read as Ollama reads it', () => {
  const table: Readonly<Record<string, string>> = {
    '': 'http://127.0.0.1:11434',
    '0.0.0.0': 'http://127.0.0.1:11434',
    '0.0.0.0:8000': 'http://127.0.0.1:8000',
    ':8000': 'http://127.0.0.1:8000',
    'box.lan': 'http://box.lan:11434',
    'http://box.lan:1234/': 'http://box.lan:1234',
    'https://ollama.example': 'https://ollama.example',
    '%%': 'http://127.0.0.1:11434',
  };
  for (const [host, origin] of Object.entries(table)) assert.equal(ollamaOrigin(host), origin, host);
});

async function probeServer(step: ModelStep, patienceMs = 30_000): Promise<OllamaProbe> {
  await using server = await startModelServer([step]);
  const probe = await probeOllama(server.origin, patienceMs);
  await server.whenDisconnected();
  return probe;
}

test('a running Ollama tells its models, those that only embed left out', async () => {
  const models = [
    { name: 'nomic-embed-text:latest', details: { family: 'nomic-bert' } },
    { name: 'all-minilm', details: { family: 'bert' } },
    { name: 'llama3.3:latest', details: { family: 'llama' } },
    { name: 'qwen3' },
    { broken: true },
  ];
  const probe = await probeServer(
    sendsRaw(JSON.stringify({ models }), { headers: { 'content-type': 'application/json' } }),
  );

  assert.deepEqual(probe, { type: 'present', models: ['llama3.3:latest', 'qwen3'] });
});

test('whatever else listens there is no Ollama', async () => {
  const others = [
    failsWith(404, 'not found'),
    sendsRaw('[]'),
    sendsRaw('{"models":7}'),
    sendsRaw('x'.repeat(2_000_000)),
  ];
  for (const step of others) assert.deepEqual(await probeServer(step), { type: 'absent' });
  assert.deepEqual(await probeServer(staysSilent(), 10), { type: 'absent' });

  const closed = await startModelServer();
  const { origin } = closed;
  await closed.close();
  assert.deepEqual(await probeOllama(origin), { type: 'absent' });
});

test('every vendor has a name and a key of its own and an address without a slash at its end', () => {
  const keys = vendors.flatMap((vendor) => vendor.envKey ?? []);

  assert.equal(new Set(vendors.map((vendor) => vendor.name)).size, vendors.length);
  assert.equal(new Set(keys).size, keys.length);
  for (const vendor of vendors) {
    assert.match(
      vendor.baseUrl,
      vendor.place === 'remote' ? /^https:\/\/[^/]+.*[^/]$/ : /^http:\/\/127\.0\.0\.1:\d+\/v1$/,
    );
    assert.equal(vendor.envKey === undefined, vendor.place === 'local', vendor.name);
    assert.equal(findVendor(vendor.name), vendor);
  }
});

test('the keys that commands print come first, then those that the config names; the usual one is then not sent', async () => {
  const env = { OPENAI_API_KEY: 'usual', SPARE: 'spare' };
  const keyCommands = ['op read a', 'op read b'];

  assert.deepEqual(await chainOn({ config: { provider: 'openai', keyCommands }, env }), [
    'key_command=what op read a prints for api.openai.com',
    'key_command_2=what op read b prints for api.openai.com',
  ]);
  assert.deepEqual(
    await chainOn({ config: { provider: 'openai', keyCommands: ['op read a'], keyEnv: ['SPARE', 'GONE'] }, env }),
    [
      'key_command=what op read a prints for api.openai.com',
      'SPARE=spare for api.openai.com',
      'GONE is named in key_env, but is not set',
    ],
  );
});

test('a command without a provider is refused, since nobody knows whose key it prints', async () => {
  assert.deepEqual(await chainOn({ config: { keyCommands: ['op read a'] }, env: { OPENAI_API_KEY: 'usual' } }), [
    'model.key_command does not say whose key it prints: set model.provider',
  ]);
});

test('OpenAI is asked over Responses at its own address and over chat completions elsewhere, unless the config says which', async () => {
  const env = { OPENAI_API_KEY: 'k', MINE: 'm' };
  const modeOf = async (config: Partial<Config['model']>): Promise<string | undefined> => {
    const { choice } = await chooseOn({ env, config: { provider: 'openai', ...config } });
    return choice.type === 'chosen' ? choice.runtime.apiMode : undefined;
  };
  const proxy = { baseUrl: 'https://proxy.example/v1', keyEnv: ['MINE'] };

  assert.equal(await modeOf({}), 'codex_responses');
  assert.equal(await modeOf({ apiMode: 'chat_completions' }), 'chat_completions');
  assert.equal(await modeOf(proxy), 'chat_completions');
  assert.equal(
    await modeOf({ baseUrl: 'https://api.openai.com.proxy.example/v1', keyEnv: ['MINE'] }),
    'chat_completions',
  );
  assert.equal(await modeOf({ ...proxy, apiMode: 'codex_responses' }), 'codex_responses');
});

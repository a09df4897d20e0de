import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseDocument } from 'yaml';
import { isJsonObject, parseJson } from '../../../src/base/json.ts';
import type { Json, JsonObject } from '../../../src/base/json.ts';
import { failsWith, says } from '../../support/model-script.ts';
import { openDesk } from '../support/program.ts';
import type { Desk } from '../support/program.ts';

/** Gives the desk a YAML file instead of its JSON one. */
function writeYaml(desk: Desk, text: string): string {
  rmSync(join(desk.home, 'config.json'), { force: true });
  const path = join(desk.home, 'config.yaml');
  writeFileSync(path, text);
  return path;
}

function modelsAsked(desk: Desk): readonly (Json | undefined)[] {
  return desk.server.requests.map(({ json }) => json?.['model']);
}

function objectIn(text: string): JsonObject {
  const value = parseJson(text);
  assert.ok(isJsonObject(value), text);
  return value;
}

test('the bare `talaria model` lists what the settings name, what each costs and reads, and whose keys are there', async () => {
  await using desk = await openDesk();
  await desk.setConfig({
    model: { provider: 'openai', default: 'gpt-4o', aliases: { far: 'groq:some-model' } },
    fallback: { provider: 'anthropic', model: 'claude-x' },
    prices: { 'groq:some-model': { input: 0.075, output: 0.3 } },
  });

  const { stdout, code } = await desk.run(['model'], { env: { OPENAI_API_KEY: 'sk-secret' } });

  assert.equal(code, 0);
  const lines = stdout.split('\n');
  assert.match(
    lines[0] ?? '',
    /^default {4}openai:gpt-4o {4,}\$\d[\d.]* in, \$\d+ out per million tokens · reads 128,000 tokens$/,
  );
  assert.match(lines[1] ?? '', /^fallback {3}anthropic:claude-x +price unknown · window unknown$/);
  assert.match(lines[2] ?? '', /^ +cannot be used: .*ANTHROPIC_API_KEY$/);
  assert.match(lines[3] ?? '', /^alias far {2}groq:some-model +\$0\.0750 in, \$0\.30 out per million tokens · /);
  assert.match(stdout, /^keys are there for: openai \(OPENAI_API_KEY\)$/m);
  assert.match(stdout, /^no key for: anthropic, /m);
  assert.doesNotMatch(stdout, /sk-secret/);
  assert.deepEqual(desk.server.requests, []);
});

test('talaria model --json is one document with prices in dollars, null where unknown', async () => {
  await using desk = await openDesk();

  const { stdout } = await desk.run(['model', '--json']);

  const report = objectIn(stdout);
  const price = { input: null, cacheRead: null, cacheWrite: null, output: null };
  assert.deepEqual(report['models'], [
    { role: 'primary', name: 'custom:scripted', window: null, price, problem: null },
  ]);
  assert.ok(Array.isArray(report['vendors']));
});

test('with no key and no settings the demo is listed, and is free', async () => {
  await using desk = await openDesk();
  rmSync(join(desk.home, 'config.json'));

  const { stdout } = await desk.run(['model'], { env: { OLLAMA_HOST: '127.0.0.1:1' } });

  assert.match(stdout, /^default {2}demo:demo {2}free · window unknown$/m);
});

test('talaria model set writes the default only behind a real answer, and leaves comments and permissions alone', async () => {
  await using desk = await openDesk([says('ready')]);
  const before = [
    '# my settings',
    'model:',
    '  provider: custom',
    `  base_url: ${desk.server.baseUrl} # at home`,
    '  default: scripted # the old one',
    '  cache_ttl: 1h # long talks',
    'agent:',
    '  max_turns: 7 # enough',
    '',
  ].join('\n');
  const path = writeYaml(desk, before);
  chmodSync(path, 0o640);

  const { stdout, code } = await desk.run(['model', 'set', 'better']);

  assert.equal(code, 0);
  assert.match(stdout, /^custom:better answered after \d+ ms: ready\ncustom:better is the default now · price unknown/);
  assert.deepEqual(modelsAsked(desk), ['better']);
  // What was said beside the old model is not true of the new one.
  assert.equal(readFileSync(path, 'utf8'), before.replace('default: scripted # the old one', 'default: better'));
  assert.equal(statSync(path).mode & 0o777, 0o640);
});

test('talaria model set to another provider and back leaves the file as it was, but for a comment beside what changed', async () => {
  await using desk = await openDesk(() => says('ready'));
  const before = [
    'model:',
    '  provider: custom # mine',
    `  base_url: ${desk.server.baseUrl}`,
    '  key_env: MYKEY',
    '  default: mock-1',
    '  max_output_tokens: 500',
    '  context_length: 32000',
    '  aliases:',
    '    fast: mock-2 # the small one',
    '',
  ].join('\n');
  const path = writeYaml(desk, before);
  chmodSync(path, 0o644);

  const there = await desk.run(['model', 'set', 'demo']);
  const copy = readFileSync(`${path}.bak`, 'utf8');
  const meanwhile = parseDocument(readFileSync(path, 'utf8')).toJS() as JsonObject;
  const back = await desk.run(['model', 'set', 'custom:mock-1'], { env: { MYKEY: 'k' } });
  const afterwards = parseDocument(readFileSync(path, 'utf8')).toJS() as JsonObject;

  assert.deepEqual([there.code, back.code], [0, 0], there.stderr + back.stderr);
  assert.match(
    there.stdout,
    /^What was set for custom \(base_url, key_env, context_length\) is kept under providers\.custom;/m,
  );
  assert.match(there.stdout, /^The alias fast stands for custom:mock-2, as before, and says so now\.$/m);
  assert.match(there.stdout, /^The settings as they were: .*config\.yaml\.bak$/m);
  assert.equal(copy, before);
  assert.equal(statSync(`${path}.bak`).mode & 0o777, 0o600);
  const place = { base_url: desk.server.baseUrl, key_env: 'MYKEY', context_length: 32000 };
  assert.deepEqual(meanwhile, {
    model: { provider: 'demo', default: 'demo', max_output_tokens: 500, aliases: { fast: 'custom:mock-2' } },
    providers: { custom: { model: 'mock-1', ...place } },
  });
  assert.deepEqual(afterwards, {
    model: {
      provider: 'custom',
      default: 'mock-1',
      ...place,
      max_output_tokens: 500,
      aliases: { fast: 'custom:mock-2' },
    },
  });
  assert.doesNotMatch(readFileSync(path, 'utf8'), /#/);
});

test('every key that is used is named, also those of an address of one’s own', async () => {
  await using desk = await openDesk();

  const usual = await desk.run(['model'], {
    env: { CUSTOM_API_KEY: 'a', CUSTOM_API_KEY_2: 'b', CUSTOM_API_KEY_3: 'c' },
  });
  const none = await desk.run(['model']);

  assert.match(usual.stdout, /^keys are there for: custom \(CUSTOM_API_KEY, CUSTOM_API_KEY_2, CUSTOM_API_KEY_3\)$/m);
  assert.match(none.stdout, /^keys are there for: nobody\n.*\nwithout a key: .*, custom \(any address\), demo$/m);
});

test('talaria model set changes nothing where the model does not answer', async () => {
  await using desk = await openDesk([failsWith(404, { error: { message: 'no such model' } })]);
  const before = readFileSync(join(desk.home, 'config.json'), 'utf8');

  const { stdout, stderr, code } = await desk.run(['model', 'set', 'absent', '--json']);

  assert.equal(code, 1);
  assert.match(stderr, /^talaria: custom:absent did not answer: .*no such model/);
  const report = objectIn(stdout);
  assert.equal(report['ok'], false);
  assert.equal(readFileSync(join(desk.home, 'config.json'), 'utf8'), before);
});

test('talaria model set --no-check asks nobody, and makes the file where there is none', async () => {
  await using desk = await openDesk();
  rmSync(join(desk.home, 'config.json'));

  const { code } = await desk.run(['model', 'set', 'groq:llama', '--no-check'], { env: { GROQ_API_KEY: 'g' } });

  const path = join(desk.home, 'config.yaml');
  assert.equal(code, 0);
  assert.equal(readFileSync(path, 'utf8'), 'model:\n  default: llama\n  provider: groq\n');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(desk.server.requests, []);
});

test('a settings file that is a link stays one', async () => {
  await using desk = await openDesk();
  const target = join(desk.workdir, 'dotfile.yaml');
  writeFileSync(target, `model:\n  provider: custom\n  base_url: ${desk.server.baseUrl}\n  default: old\n`);
  rmSync(join(desk.home, 'config.json'));
  symlinkSync(target, join(desk.home, 'config.yaml'));

  await desk.run(['model', 'set', 'new', '--no-check']);

  assert.match(readFileSync(target, 'utf8'), /default: new\n/);
  assert.ok(existsSync(join(desk.home, 'config.yaml')));
});

test('a broken settings file is not written to', async () => {
  await using desk = await openDesk();
  const good = `model: {provider: custom, base_url: "${desk.server.baseUrl}", default: old}\n`;
  const path = writeYaml(desk, good);
  await desk.run(['model']);
  writeFileSync(path, `${good}agent: [\n`);

  const { stderr, code } = await desk.run(['model', 'set', 'new', '--no-check']);

  assert.equal(code, 78);
  assert.match(stderr, /config\.yaml:\d+:\d+: /);
  assert.equal(readFileSync(path, 'utf8'), `${good}agent: [\n`);
});

test('talaria model check asks for one word and shows how long it took; without a name the default', async () => {
  await using desk = await openDesk([says('ready'), says('ready\nand more')]);

  const text = await desk.run(['model', 'check']);
  const json = await desk.run(['model', 'check', 'other', '--json']);

  assert.match(text.stdout, /^custom:scripted answered after \d+ ms: ready\n$/);
  const { ok, model, text: said } = objectIn(json.stdout);
  assert.deepEqual({ ok, model, said }, { ok: true, model: 'custom:other', said: 'ready\nand more' });
  assert.deepEqual(modelsAsked(desk), ['scripted', 'other']);
});

test('a model that cannot be used is named with what is missing, and nobody is asked', async () => {
  await using desk = await openDesk();

  const { stderr, code } = await desk.run(['model', 'check', 'mistral:large']);

  assert.equal(code, 78);
  assert.match(stderr, /MISTRAL_API_KEY/);
  assert.deepEqual(desk.server.requests, []);
});

test('prices that cannot be fetched are said to be so, in words and as JSON', async () => {
  await using desk = await openDesk();

  const { stdout, stderr, code } = await desk.run(['model', 'refresh', '--json'], {
    env: { HTTPS_PROXY: 'http://127.0.0.1:1' },
  });

  assert.equal(code, 1);
  assert.match(stderr, /^talaria: the prices at https:\/\/\S+ could not be fetched: /);
  assert.equal(objectIn(stdout)['ok'], false);
});

test('-m takes an alias, provider:model or a plain name, for this run only', async () => {
  await using desk = await openDesk(() => says('Hello.'));
  const model = {
    provider: 'custom',
    base_url: desk.server.baseUrl,
    default: 'scripted',
    aliases: { q: 'custom:quick' },
  };
  await desk.setConfig({ model });

  for (const args of [['-m', 'q'], ['-m', 'custom:named'], ['-m', 'plain'], []]) await desk.run(['run', ...args, 'hi']);

  assert.deepEqual(modelsAsked(desk), ['quick', 'named', 'plain', 'scripted']);
});

test('what is chosen in a session holds when it is continued, unless -m says otherwise for one run', async () => {
  await using desk = await openDesk(() => says('Hello.'));
  await desk.run(['chat'], { input: '/model chosen\nhi\n' });

  const continued = await desk.run(['run', '-c', '--json', 'again']);
  await desk.run(['run', '-c', '-m', 'once', 'again']);
  await desk.run(['chat', '-c', '-m', 'once'], { input: 'a\n/model typed\nb\n' });
  await desk.run(['run', '-c', 'again']);

  assert.deepEqual(modelsAsked(desk), ['chosen', 'chosen', 'once', 'once', 'typed', 'typed']);
  assert.match(continued.stdout, /"model":"custom:chosen"/);
});

test('a run whose model has no key begins with the fallback and says so; the list still names the model and what it lacks', async () => {
  await using desk = await openDesk(() => says('Hello.'));
  const fallback = { provider: 'custom', base_url: desk.server.baseUrl, model: 'second' };
  await desk.setConfig({ model: { provider: 'anthropic' }, fallback });

  const run = await desk.run(['run', 'hi']);
  const list = await desk.run(['model']);

  assert.deepEqual([run.code, run.stdout], [0, 'Hello.\n'], run.stderr);
  assert.match(run.stderr, /ANTHROPIC_API_KEY; custom:second, a fallback, answers instead/);
  assert.match(list.stdout, /^default +anthropic:unknown .*\n +cannot be used: .*ANTHROPIC_API_KEY$/m);
});

test('a run that goes out without the keys that key_env names says so', async () => {
  await using desk = await openDesk(() => says('Hello.'));
  const model = { provider: 'custom', base_url: desk.server.baseUrl, default: 'm', key_env: ['K1', 'K2'] };
  await desk.setConfig({ model });

  const { stderr } = await desk.run(['run', 'hi']);

  assert.match(stderr, /K1, K2 are named in key_env, but none of them is set: custom:m is asked without a key/);
});

test('an alias can be the configured default', async () => {
  await using desk = await openDesk(() => says('Hello.'));
  const model = {
    provider: 'custom',
    base_url: desk.server.baseUrl,
    default: 'daily',
    aliases: { daily: 'custom:real' },
  };
  await desk.setConfig({ model });

  await desk.run(['run', 'hi']);

  assert.deepEqual(modelsAsked(desk), ['real']);
});

test('a turn loads neither the price data nor YAML', async () => {
  await using desk = await openDesk(() => says('Hello.'));
  await desk.run(['run', 'hi']);
  const preload = `
    import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) {
      if (/^(yaml|@pydantic)/.test(name)) process.stderr.write('loads ' + name + '\\n');
      return next(name, context);
    } });`;

  const turn = await desk.run(['run', 'hi'], { preload });
  await desk.setConfig({ model: { provider: 'openai', default: 'gpt-4o' } });
  const list = await desk.run(['model'], { preload, env: { OPENAI_API_KEY: 'k' } });

  assert.doesNotMatch(turn.stderr, /loads/);
  assert.match(list.stderr, /loads @pydantic/);
});

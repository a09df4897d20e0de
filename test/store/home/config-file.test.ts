import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { localTime } from '../../../src/base/local-time.ts';
import { configJsonSchema } from '../../../src/model/config-schema.ts';
import { checkConfig } from '../../../src/model/config.ts';
import type { Config } from '../../../src/model/config.ts';
import { keepAsServed, loadConfig, loadSafeConfig } from '../../../src/store/home/config-file.ts';
import { openHome } from '../../../src/store/home/home-folder.ts';
import type { HomeFolder } from '../../../src/store/home/home-folder.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

interface TempHome extends AsyncDisposable {
  readonly home: HomeFolder;
  readonly lastGood: string;
}

async function openTempHome(config?: string): Promise<TempHome> {
  const folder = await makeTempFolder();
  const home = await openHome({ TALARIA_HOME: folder.path });
  if (config !== undefined) writeFileSync(home.configFile, config);
  const lastGood = join(home.state, 'config.last-good.json');
  return { home, lastGood, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

function textOfLastGood(temp: TempHome): unknown {
  return (JSON.parse(readFileSync(temp.lastGood, 'utf8')) as { readonly text: unknown }).text;
}

function defaults(): Config {
  const checked = checkConfig({});
  assert.ok(checked.type === 'valid');
  return checked.config;
}

test('the YAML library is loaded only for a file that has changed', async () => {
  await using temp = await openTempHome();
  const script = `
    import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) { if (/^yaml$/.test(name)) console.log('yaml'); return next(name, context); } });
    const { openHome } = await import(${JSON.stringify(new URL('../../../src/store/home/home-folder.ts', import.meta.url))});
    const { loadConfig } = await import(${JSON.stringify(new URL('../../../src/store/home/config-file.ts', import.meta.url))});
    console.log((await loadConfig(await openHome(process.env))).source);`;
  const run = async (): Promise<string> => {
    const env = { ...process.env, TALARIA_HOME: temp.home.path };
    return (await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env })).stdout;
  };

  const path = temp.home.configFile;
  const nothing = { path, config: defaults(), user: null, warnings: [], source: 'defaults' };
  assert.deepEqual(await loadConfig(temp.home), nothing);
  assert.equal(await run(), 'defaults\n');
  writeFileSync(temp.home.configFile, '{}');
  assert.equal(await run(), 'yaml\nfile\n');
  assert.equal(await run(), 'file\n');
});

test('an empty file, an empty mapping and a file of comments are the defaults', async () => {
  for (const text of ['', '{}', '\n\n', '# nothing\n', 'model:\n', '---\n...\n', '\uFEFF{}']) {
    await using temp = await openTempHome(text);
    const path = temp.home.configFile;
    const { user: _, ...loaded } = await loadConfig(temp.home);
    assert.deepEqual(loaded, { path, config: defaults(), warnings: [], source: 'file' }, text);
  }
});

test('settings are read from YAML, or from JSON where there is no YAML', async () => {
  await using temp = await openTempHome('model:\n  default: gpt-5 # mine\nterminal: { timeout: 7 }\n');

  const { config, source } = await loadConfig(temp.home);
  assert.deepEqual([config.model.default, config.terminal.timeoutMs, source], ['gpt-5', 7000, 'file']);

  writeFileSync(temp.home.configJsonFile, '{"model": {"default": "other"}}');
  const both = await loadConfig(temp.home);
  assert.equal(both.config.model.default, 'gpt-5');
  assert.deepEqual(both.warnings, [`${temp.home.configJsonFile} is ignored, because ${temp.home.configFile} exists`]);
  rmSync(temp.home.configFile);
  const json = await loadConfig(temp.home);
  assert.deepEqual([json.config.model.default, json.warnings, json.source], ['other', [], 'file']);
});

test('unknown keys are warnings and stop nothing', async () => {
  await using temp = await openTempHome('modle: x\nagent:\n  max_turns: 5\n  colour: red\n');

  const { config, warnings, source } = await loadConfig(temp.home);

  assert.deepEqual([config.agent.maxSteps, source], [5, 'file']);
  assert.deepEqual(warnings, [
    `${temp.home.configFile}:1:1: unknown key modle is ignored; did you mean model?`,
    `${temp.home.configFile}:4:3: unknown key agent.colour is ignored`,
  ]);
});

test('each wrong value is reported in a line of its own, with its own line and column', async () => {
  await using temp = await openTempHome('model:\n  provider: 5\nagent:\n  max_turns: many\n');
  const { configFile } = temp.home;

  await assert.rejects(loadConfig(temp.home), {
    code: 'bad-config',
    message: [
      `${configFile}:2:13: model.provider must be text, not number 5`,
      `${configFile}:4:14: agent.max_turns must be a whole number, not string "many"`,
    ].join('\n'),
  });
});

function linesIn(text: string): readonly string[] {
  return text.match(/(?<=config\.yaml:)\d+/g) ?? [];
}

test('wrong values, and warnings of every kind, are told in the order of their lines', async () => {
  await using wrong = await openTempHome('agent:\n  max_turns: many\nmodel:\n  provider: 5\n');
  await using doubtful = await openTempHome('model:\n  aliases: { quick: quick }\ncolour: blue\n');

  await assert.rejects(loadConfig(wrong.home), ({ message }: Error) => linesIn(message).join() === '2,4');
  const { warnings } = await loadConfig(doubtful.home);

  assert.deepEqual(linesIn(warnings.join('\n')), ['2', '3']);
});

test('unknown keys are pointed at in entries of a list, too, and again at the next start', async () => {
  await using temp = await openTempHome('fallback:\n  - provider: demo\n    modle: x\nfallbak: []\n');
  const { configFile } = temp.home;

  const first = await loadConfig(temp.home);
  const second = await loadConfig(temp.home);

  assert.deepEqual(first.warnings, [
    `${configFile}:3:5: unknown key fallback.0.modle is ignored; did you mean model?`,
    `${configFile}:4:1: unknown key fallbak is ignored; did you mean fallback?`,
  ]);
  assert.deepEqual(second.warnings, first.warnings);
});

test('a fallback needs no model: its provider has a usual one', async () => {
  await using temp = await openTempHome('fallback: [{ provider: demo }]\n');

  const { config } = await loadConfig(temp.home);

  assert.deepEqual([config.fallback[0]?.provider, config.fallback[0]?.default], ['demo', undefined]);
});

const broken = {
  'a tab': { text: 'agent:\n\tmax_turns: 5\n', at: '2:1: ' },
  'a mapping that is cut off': { text: 'model: {default: "gpt', at: '1:22: ' },
  'a key twice': { text: 'agent:\n  max_turns: 1\n  max_turns: 2\n', at: '3:3: ' },
  'a wrong type': {
    text: 'model:\n  default: a\nagent:\n  max_turns: many\n',
    at: '4:14: agent.max_turns must be a whole number',
  },
  'a value out of range': { text: 'terminal: {timeout: 100000}', at: '1:21: terminal.timeout must be at most 600' },
  'a wrong entry of a list': {
    text: 'terminal:\n  env_passthrough:\n    - A\n    - [B]\n',
    at: '4:7: terminal.env_passthrough.1 must be text',
  },
  'a section that is text': { text: '\nmodel: gpt-5\n', at: '2:8: model must be a mapping' },
  'a list instead of settings': { text: '- a\n- b\n', at: '1:1: must be a mapping' },
  'two documents': { text: 'model:\n---\nagent:\n', at: '2:1: ' },
} as const;

for (const [name, { text, at }] of Object.entries(broken)) {
  test(`${name} is reported with line and column, and the last good settings are used`, async () => {
    await using temp = await openTempHome('agent: { max_turns: 12 }');
    await loadConfig(temp.home);
    utimesSync(temp.lastGood, 1000, 1000);
    writeFileSync(temp.home.configFile, text);

    const { config, warnings, source } = await loadConfig(temp.home);

    assert.deepEqual([config.agent.maxSteps, source], [12, 'last-good']);
    assert.equal(warnings.length, 2);
    const [problem = ''] = warnings;
    assert.ok(problem.startsWith(`${temp.home.configFile}:${at}`), problem);
    assert.doesNotMatch(problem, /\n/);
    assert.equal(warnings[1], `the settings of ${localTime(1_000_000)} are used until this is mended`);
    assert.equal(textOfLastGood(temp), 'agent: { max_turns: 12 }');
  });
}

test('broken settings that were never good end the start with one line', async () => {
  await using temp = await openTempHome('agent: { max_turns: many }');

  await assert.rejects(loadConfig(temp.home), {
    code: 'bad-config',
    message: `${temp.home.configFile}:1:21: agent.max_turns must be a whole number, not string "many"`,
  });
});

test('a file that cannot be read counts as broken', async () => {
  await using temp = await openTempHome('agent: { max_turns: 12 }');
  await loadConfig(temp.home);
  rmSync(temp.home.configFile);
  mkdirSync(temp.home.configFile);

  const { config, warnings, source } = await loadConfig(temp.home);

  assert.deepEqual([config.agent.maxSteps, source], [12, 'last-good']);
  assert.match(warnings[0] ?? '', /config\.yaml: EISDIR/);
});

test('the last good settings are written when they changed, and only then', async () => {
  await using temp = await openTempHome('agent: { max_turns: 1 }');
  await loadConfig(temp.home);
  const first = statSync(temp.lastGood);
  await loadConfig(temp.home);
  const second = statSync(temp.lastGood);
  writeFileSync(temp.home.configFile, 'agent: { max_turns: 2 }');
  await loadConfig(temp.home);

  assert.equal(second.ino, first.ino);
  assert.notEqual(statSync(temp.lastGood).ino, first.ino);
  assert.equal(textOfLastGood(temp), 'agent: { max_turns: 2 }');
  assert.equal(first.mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(temp.home.state), ['config.last-good.json']);
});

test('where no copy can be kept the settings still hold, with a warning', async () => {
  await using temp = await openTempHome('agent: { max_turns: 7 }');
  rmSync(temp.home.state, { recursive: true });
  writeFileSync(temp.home.state, 'in the way');
  chmodSync(temp.home.state, 0o600);

  const { config, warnings } = await loadConfig(temp.home);

  assert.equal(config.agent.maxSteps, 7);
  assert.match(warnings.join('\n'), /^no copy of the settings could be kept: ENOTDIR[^\n]*$/);
});

test('the schema for editors is a JSON schema that knows every section', () => {
  const schema = configJsonSchema;

  assert.equal(schema['$schema'], 'https://json-schema.org/draft/2020-12/schema');
  assert.equal(schema['title'], 'Talaria configuration');
  assert.deepEqual(Object.keys(schema['properties'] ?? {}), [
    'model',
    'fallback',
    'providers',
    'compression',
    'limits',
    'prices',
    'agent',
    'platform_toolsets',
    'agent_cache',
    'terminal',
    'approvals',
    'tools',
    'mcp_servers',
    'display',
    'telegram',
    'speech',
    'web',
    'search',
    'browser',
    'session_reset',
    'group_sessions_per_user',
    'thread_sessions_per_user',
    'storage',
  ]);
  assert.deepEqual(JSON.parse(JSON.stringify(schema)), schema);
});

test('a start that served with remembered settings is one that a safe start goes back to', async () => {
  await using temp = await openTempHome('agent: { max_turns: 5 }\n');
  const serve = async (): Promise<number> => {
    const loaded = await loadConfig(temp.home);
    await keepAsServed(temp.home, loaded);
    return loaded.config.agent.maxSteps;
  };
  const served = [await serve()];
  // A good edit that something else than a start has read, and then one that broke it.
  writeFileSync(temp.home.configFile, 'agent: { max_turns: 6 }\n');
  await loadConfig(temp.home);
  writeFileSync(temp.home.configFile, 'agent: {\n');

  served.push(await serve());

  assert.deepEqual([...served, (await loadSafeConfig(temp.home)).config.agent.maxSteps], [5, 6, 6]);
});

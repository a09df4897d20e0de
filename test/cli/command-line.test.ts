import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { commandTable } from '../../src/cli/command-table.ts';
import { helpFor } from '../../src/cli/help.ts';
import { says } from '../support/model-script.ts';
import { entryPoint, openDesk, parseLines } from './support/program.ts';
import type { Outcome } from './support/program.ts';

test('--version prints the version of the package', async () => {
  await using desk = await openDesk();
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(manifest) as { readonly version: string };

  for (const args of [['--version'], ['-V'], ['run', '--version']])
    assert.deepEqual(await desk.run(args), { stdout: `${version}\n`, stderr: '', code: 0 });
});

test('--help on everything explains it on stdout', async () => {
  await using desk = await openDesk();
  const topics = ['', 'sessions', 'config', ...commandTable.map((row) => row.name)];

  for (const topic of topics) {
    const args = topic.split(' ').filter((word) => word !== '');
    assert.deepEqual(await desk.run([...args, '--help']), { stdout: helpFor(topic), stderr: '', code: 0 });
  }
  assert.equal((await desk.run(['help', 'exit-codes'])).stdout, helpFor('exit-codes'));
  assert.equal((await desk.run(['help', 'sessions', 'show'])).stdout, helpFor('sessions show'));
});

test('a wrong command line is answered with what was meant, on stderr, and exit code 2', async () => {
  await using desk = await openDesk();

  const outcome = await desk.run(['sesions']);

  assert.deepEqual(outcome, {
    stdout: '',
    stderr: 'talaria: there is no command "sesions"; did you mean "talaria sessions"?\nSee: talaria --help\n',
    code: 2,
  });
});

test('with --json a failure is also a document on stdout', async () => {
  await using desk = await openDesk();

  const { stdout, code } = await desk.run(['sessions', 'show', 'nothing', '--json']);

  assert.equal(code, 1);
  assert.deepEqual(JSON.parse(stdout), {
    type: 'failed',
    ok: false,
    exitCode: 1,
    error: { code: 'not-found', message: 'there is no session nothing' },
  });
});

test('where no model can be used the program says so and ends with 78', async () => {
  await using desk = await openDesk();
  await desk.setConfig({ model: { provider: 'openai', default: 'gpt' } });

  const { stdout, stderr, code } = await desk.run(['run', 'hello']);

  assert.equal(code, 78);
  assert.equal(stdout, '');
  assert.match(stderr, /^talaria: .*OPENAI_API_KEY/);
});

test('a settings file that cannot be read is reported with line and column, and ends with 78', async () => {
  await using desk = await openDesk();
  await writeFile(join(desk.home, 'config.yaml'), 'model:\n  default: [\n');

  const { stderr, code } = await desk.run(['run', 'hello']);

  assert.equal(code, 78);
  assert.match(stderr, /config\.yaml:\d+:\d+: /);
});

test('a second program on the same home is told that the first is running, and ends with 75', async () => {
  await using desk = await openDesk([says('One.')]);
  const first = desk.start([], { input: 'hello\n', keepOpen: true });
  await first.prints(/One\./);

  const second = await desk.run(['run', '--json', 'hello']);

  assert.equal(second.code, 75);
  assert.match(second.stderr, /already running/);
  assert.match(second.stderr, /TALARIA_HOME/);
  assert.equal(parseLines(second.stdout)[0]?.['ok'], false);
  first.child.stdin?.end();
  assert.equal((await first.ended).code, 0);
});

test('errors show no stack unless someone is debugging', async () => {
  await using desk = await openDesk();
  const home = join(desk.workdir, 'a-file');
  await writeFile(home, '');

  const quiet = await desk.run(['sessions'], { env: { TALARIA_HOME: home } });
  const debugging = await desk.run(['sessions'], { env: { TALARIA_HOME: home, TALARIA_DEBUG: '1' } });

  assert.equal(quiet.code, 78);
  assert.match(quiet.stderr, /is not a folder\n$/);
  assert.doesNotMatch(quiet.stderr, /^ {4}at /m);
  assert.match(debugging.stderr, /^ {4}at /m);
});

test('settings are shown with their defaults, checked, and described by a schema', async () => {
  await using desk = await openDesk();
  await writeFile(join(desk.home, 'config.yaml'), 'agent:\n  max_turns: 7\nmodle: {}\n');

  const shown = await desk.run(['config', 'show', '--json']);
  const readable = await desk.run(['config']);
  const checked = await desk.run(['config', 'check']);
  const path = await desk.run(['config', 'path']);
  const schema = await desk.run(['config', 'schema']);

  const { settings } = JSON.parse(shown.stdout) as {
    settings: { agent: { max_turns: number }; terminal: object };
  };
  assert.equal(settings.agent.max_turns, 7);
  assert.deepEqual(settings.terminal, {
    timeout: 180,
    env_passthrough: [],
    sandbox: 'auto',
    sandbox_network: false,
    backend: 'local',
    ssh: { host: null, user: null, port: null, key_file: null, known_hosts_file: null },
    docker: { image: null, container: null, command: 'docker', network: 'none', memory_mb: 2048, pids_limit: 512 },
  });
  assert.match(readable.stdout, /^agent:\n {2}max_turns: 7$/m);
  assert.equal(checked.code, 0);
  assert.match(checked.stdout, /modle/);
  assert.equal(path.stdout, `${join(desk.home, 'config.yaml')}\n`);
  assert.equal((JSON.parse(schema.stdout) as { properties: object }).properties.hasOwnProperty('model'), true);
});

test('a broken settings file is found by `config check`, which ends with 78', async () => {
  await using desk = await openDesk();
  await writeFile(join(desk.home, 'config.yaml'), 'agent:\n  max_turns: many\n');

  const { stderr, stdout, code } = await desk.run(['config', 'check']);

  assert.equal(code, 78);
  assert.match(stdout + stderr, /config\.yaml:2:\d+: .*max_turns/);
});

test('a broken settings file is told by line and column, with the command that looks at all the rest', async () => {
  await using desk = await openDesk();
  await writeFile(join(desk.home, 'config.yaml'), 'model:\n  default: [\n');

  const other = await desk.run(['config', 'show']);
  const itself = await desk.run(['config', 'check']);

  for (const { stderr } of [other, itself]) {
    assert.match(stderr, /config\.yaml:\d+:\d+: .*\n`talaria doctor` looks at everything that a start needs\.\n$/s);
  }
  assert.deepEqual([other.code, itself.code], [78, 78]);
});

test('in a folder that no longer exists only what needs it fails, in one line', async () => {
  await using desk = await openDesk([says('One.'), says('Two.')]);
  await desk.run(['run', 'hello']);
  const runThere = (args: readonly string[]): Promise<Outcome> => desk.run(args, { folder: 'removed' });

  const help = await runThere(['--help']);
  const version = await runThere(['run', '--version']);
  const list = await runThere(['sessions', '--json']);
  const fresh = await runThere(['run', 'hello']);
  const continued = await runThere(['run', '-c', 'hello']);

  assert.deepEqual([help.code, help.stdout], [0, helpFor('')]);
  assert.deepEqual([version.code, list.code, continued.code, continued.stdout], [0, 0, 0, 'Two.\n']);
  assert.deepEqual(fresh, {
    stdout: '',
    stderr: 'talaria: the folder you are in no longer exists; go to another one\n',
    code: 1,
  });
});

test('a path that cannot be used is named in one line, and is no fault of the program', async () => {
  await using desk = await openDesk([says('One.')]);
  await desk.run(['run', 'hello']);
  const { sessions } = parseLines((await desk.run(['sessions', '--json'])).stdout)[0] as { sessions: { id: string }[] };
  const output = join(desk.workdir, 'none', 'x.md');
  const file = join(desk.workdir, 'a-file');
  await writeFile(file, '');

  const exported = await desk.run(['sessions', 'export', sessions[0]?.id ?? '', '-o', output]);
  const homeless = await desk.run(['sessions', '--json'], { env: { TALARIA_HOME: join(file, 'home') } });

  assert.deepEqual(exported, {
    stdout: '',
    stderr: `talaria: cannot use ${output}: there is no such file or folder\n`,
    code: 1,
  });
  assert.equal(homeless.stderr, `talaria: cannot use ${join(file, 'home')}: part of it is a file, not a folder\n`);
  assert.deepEqual(parseLines(homeless.stdout)[0]?.['error'], {
    code: 'bad-path',
    message: `cannot use ${join(file, 'home')}: part of it is a file, not a folder`,
  });
});

test('what goes wrong while a failure is reported ends the program instead of being reported for ever', async () => {
  await using desk = await openDesk();
  const breaking = [
    "process.stderr.write = () => { throw new Error('no screen'); };",
    "process.getBuiltinModule('node:util').parseArgs = () => { throw new Error('first'); };",
  ].join('');

  const { code } = await desk.run(['run', 'hello'], { preload: breaking });

  assert.equal(code, 70);
});

test('a model of a provider that nobody knows is told with those that are known, and where to look', async () => {
  await using desk = await openDesk();
  await desk.setConfig({ model: { provider: 'demo' } });

  const { stderr, code } = await desk.run(['run', '-m', 'opneai:x', 'hello']);

  assert.equal(code, 78);
  assert.match(
    stderr,
    /unknown provider opneai \(did you mean openai\?\): the known ones are openai, .*\n`talaria model` lists/,
  );
});

test("a server at home is asked for a model that looks like a provider's, and the slip is pointed at", async () => {
  await using desk = await openDesk([says('Hello.')]);

  const { stdout, stderr } = await desk.run(['run', '-m', 'opneai:x', 'hello']);

  assert.equal(stdout, 'Hello.\n');
  assert.match(stderr, /custom is asked for a model named opneai:x: unknown provider opneai \(did you mean openai\?\)/);
});

test('a stdout that cannot take the reply is named, and the turn can be gone on with', async (t) => {
  if (!existsSync('/dev/full')) return t.skip('there is no /dev/full here');
  await using desk = await openDesk([says('Hello.')]);
  const line = `exec "${process.execPath}" "${entryPoint}" run hello >/dev/full`;

  const child = spawn('/bin/sh', ['-c', line], {
    cwd: desk.workdir,
    env: desk.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'close') as Promise<[number]>]);

  assert.equal(status, 70);
  assert.match(stderr, /^talaria: stdout cannot be written to: the disk is full\nNothing was lost .*: talaria -c\n$/m);
  assert.doesNotMatch(stderr, /fault in the program/);
});

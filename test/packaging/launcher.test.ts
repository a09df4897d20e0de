import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, readdir, symlink, unlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { homePath } from '../../src/base/home-path.ts';
import { noTerminal, openTerminal } from '../cli/support/tmux-terminal.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import type { TempFolder } from '../support/temp-folder.ts';

const root = join(import.meta.dirname, '..', '..');
// Whoever starts the program names no place for compiled code: finding one is the launcher's.
const surroundings = { ...process.env, NODE_COMPILE_CACHE: undefined };

/** Stands for the built program: says what it was started with, then does what its first argument asks. */
const program = `
import module from 'node:module';
const [, , wish, value] = process.argv;
if (wish === 'wait') {
  let interrupts = 0;
  process.on('SIGTERM', () => { console.log('told to end after ' + interrupts); process.exit(7); });
  process.on('SIGHUP', () => { console.log('hung up'); process.exit(8); });
  process.on('SIGINT', () => console.log('interrupted ' + (interrupts += 1)));
  setTimeout(() => process.exit(9), 10_000);
}
console.log(JSON.stringify({ launcher: process.ppid, node: process.version, arguments: process.argv.slice(2), cache: module.getCompileCacheDir() ?? null }));
if (wish === 'exit') process.exit(Number(value));
if (wish === 'die') process.kill(process.pid, value);
if (wish === 'idle') setTimeout(() => process.exit(9), 10_000);
`;

interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface Package extends TempFolder {
  readonly home: string;
  readonly launcher: string;
  /** Starts the launcher in the folder of the package. */
  start(args: readonly string[], pretend?: Pretend): ChildProcess;
}

/** What the launcher is to believe about the machine; the Node that really runs is always this one. */
interface Pretend {
  readonly node?: string;
  readonly platform?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the launcher leads a group of processes, as it does where a shell starts it. */
  readonly group?: 'own';
}

async function makePackage(): Promise<Package> {
  const folder = await makeTempFolder();
  const home = join(folder.path, 'home');
  await Promise.all([mkdir(join(folder.path, 'bin')), mkdir(join(folder.path, 'dist')), mkdir(home)]);
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }');
  await cp(join(root, 'bin', 'talaria.js'), join(folder.path, 'bin', 'talaria.js'));
  await writeFile(join(folder.path, 'dist', 'bin.js'), program);
  await symlink(join(root, 'node_modules'), join(folder.path, 'node_modules'));
  const launcher = join(folder.path, 'bin', 'talaria.js');
  const start = (args: readonly string[], pretend: Pretend = {}): ChildProcess =>
    spawn(process.execPath, [...preload(pretend), launcher, ...args], {
      cwd: folder.path,
      env: { ...surroundings, TALARIA_HOME: home, ...pretend.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: pretend.group === 'own',
    });
  return { ...folder, home, launcher, start };
}

function preload({ node, platform }: Pretend): readonly string[] {
  const lines = [
    ...(node === undefined ? [] : [`Object.defineProperty(process, 'versions', { value: { node: '${node}' } })`]),
    ...(platform === undefined ? [] : [`Object.defineProperty(process, 'platform', { value: '${platform}' })`]),
  ];
  return lines.map((line) => `--import=data:text/javascript,${encodeURIComponent(line)}`);
}

async function finish(child: ChildProcess): Promise<Outcome> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr?.on('data', (chunk) => (stderr += String(chunk)));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { stdout, stderr, code, signal };
}

for (const node of ['20.0.0', '26.0.0']) {
  test(`started by Node ${node} the program runs on Node 26 with its arguments and exit code`, async () => {
    await using talaria = await makePackage();

    const { stdout, stderr, code } = await finish(talaria.start(['exit', '3', 'a b', '--c'], { node }));

    const started = JSON.parse(stdout) as { node: string; arguments: string[] };
    assert.match(started.node, /^v26\./);
    assert.deepEqual(started.arguments, ['exit', '3', 'a b', '--c']);
    assert.deepEqual({ stderr, code }, { stderr: '', code: 3 });
  });
}

async function cacheOf(talaria: Package, pretend?: Pretend): Promise<string | null> {
  const { stdout, stderr } = await finish(talaria.start([], pretend));
  assert.equal(stderr, '');
  return (JSON.parse(stdout) as { cache: string | null }).cache;
}

test('compiled code is kept in the cache folder of the home', async () => {
  await using talaria = await makePackage();
  await mkdir(join(talaria.home, 'cache'), { mode: 0o700 });

  const cache = await cacheOf(talaria);

  assert.ok(cache?.startsWith(join(talaria.home, 'cache')), String(cache));
});

for (const env of [{ TALARIA_HOME: 'home' }, { TALARIA_HOME: '', HOME: 'user' }]) {
  test(`the launcher and the program find the same home for ${JSON.stringify(env)}`, async () => {
    await using talaria = await makePackage();
    const home = join(talaria.path, relative(process.cwd(), homePath(env)));
    await mkdir(join(home, 'cache'), { recursive: true, mode: 0o700 });

    const cache = await cacheOf(talaria, { env });

    assert.ok(cache?.startsWith(join(home, 'cache')), String(cache));
  });
}

test('a cache folder that others can write to is not used', async () => {
  await using talaria = await makePackage();
  await mkdir(join(talaria.home, 'cache'));
  await chmod(join(talaria.home, 'cache'), 0o777);

  assert.equal(await cacheOf(talaria), null);
  assert.deepEqual(await readdir(join(talaria.home, 'cache')), []);
});

test('a home that is a file is left for the program to explain', async () => {
  await using talaria = await makePackage();
  await writeFile(join(talaria.path, 'file'), '');

  assert.equal(await cacheOf(talaria, { env: { TALARIA_HOME: join(talaria.path, 'file') } }), null);
});

test('the launcher starts the program in a folder that no longer exists', async () => {
  await using talaria = await makePackage();
  const removing = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"';
  const line = [process.execPath, join(talaria.path, 'bin', 'talaria.js'), 'exit', '3'];

  for (const home of [talaria.home, 'relative']) {
    const child = spawn('/bin/sh', ['-c', removing, 'sh', ...line], {
      cwd: talaria.path,
      env: { ...surroundings, TALARIA_HOME: home },
      timeout: 30_000,
      killSignal: 'SIGKILL',
    });
    const { stderr, code } = await finish(child);
    assert.deepEqual({ stderr, code }, { stderr: '', code: 3 });
  }
});

test('the launcher makes nothing in the home', async () => {
  await using talaria = await makePackage();

  assert.equal(await cacheOf(talaria), null);
  assert.deepEqual(await readdir(talaria.home), []);
});

test('a signal to the launcher reaches the program, whose exit code comes back', async () => {
  await using talaria = await makePackage();
  const child = talaria.start(['wait'], { node: '22.0.0' });
  const outcome = finish(child);
  assert.ok(child.stdout);
  await once(child.stdout, 'data');

  child.kill('SIGINT');
  const [answer] = (await once(child.stdout, 'data')) as [Buffer];
  child.kill('SIGTERM');

  const { stdout, code } = await outcome;
  assert.equal(String(answer), 'interrupted 1\n');
  assert.match(stdout, /told to end after 1\n$/);
  assert.equal(code, 7);
});

test('a signal to launcher and program alike counts once', async () => {
  await using talaria = await makePackage();
  const child = talaria.start(['wait'], { node: '22.0.0', group: 'own' });
  const outcome = finish(child);
  assert.ok(child.stdout && child.pid);
  await once(child.stdout, 'data');

  process.kill(-child.pid, 'SIGINT');
  await once(child.stdout, 'data');
  // Goes the way that a second copy of the first would have gone, behind it.
  child.kill('SIGTERM');

  assert.match((await outcome).stdout, /told to end after 1\n$/);
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  test(`a program that does not mind ${signal} dies of it, whoever sent it to the launcher`, async () => {
    await using talaria = await makePackage();
    const child = talaria.start(['idle'], { node: '22.0.0' });
    const outcome = finish(child);
    assert.ok(child.stdout);
    await once(child.stdout, 'data');

    child.kill(signal);

    assert.equal((await outcome).signal, signal);
  });
}

test('in a terminal Ctrl-C counts once, and so does kill -INT of the launcher', { skip: noTerminal }, async () => {
  await using talaria = await makePackage();
  const env = { PATH: process.env['PATH'] ?? '', HOME: talaria.path, TALARIA_HOME: talaria.home };
  const launching = [process.execPath, ...preload({ node: '22.0.0' }), talaria.launcher];
  const options = { program: launching, columns: 200 };
  for (const interrupt of ['key', 'kill'] as const) {
    await using terminal = openTerminal({ workdir: talaria.path, env }, ['wait'], options);
    const screen = await terminal.shows(/"launcher":\d+.*\}/);
    const launcher = Number(/"launcher":(\d+)/.exec(screen)?.[1]);

    if (interrupt === 'key') await terminal.press('C-c');
    else process.kill(launcher, 'SIGINT');
    await terminal.shows(/interrupted 1/);
    process.kill(launcher, 'SIGTERM');

    await terminal.shows(/told to end after 1\n\[ended with 7\]/);
  }
});

test('a launcher that is killed outright takes the program with it, in good order', async () => {
  await using talaria = await makePackage();
  const child = talaria.start(['wait'], { node: '22.0.0' });
  const outcome = finish(child);
  assert.ok(child.stdout);
  await once(child.stdout, 'data');

  child.kill('SIGKILL');

  assert.match((await outcome).stdout, /hung up/);
});

test('a program that dies of a signal makes the launcher die of it too', async () => {
  await using talaria = await makePackage();

  const { signal } = await finish(talaria.start(['die', 'SIGKILL'], { node: '22.0.0' }));

  assert.equal(signal, 'SIGKILL');
});

const refusals: readonly (Pretend & { readonly title: string; readonly says: RegExp })[] = [
  { title: 'Windows is pointed to WSL', platform: 'win32', says: /Windows.*WSL/ },
  { title: 'a Node that is too old is named', node: '18.20.0', says: /Node 20 or newer/ },
  {
    title: 'a platform without a bundled Node is told to install one',
    node: '20.0.0',
    platform: 'aix',
    says: /install Node 26/,
  },
];

test('in a checkout without its packages the launcher says to install them first', async () => {
  await using talaria = await makePackage();
  await unlink(join(talaria.path, 'node_modules'));
  await mkdir(join(talaria.path, 'src'));
  await writeFile(join(talaria.path, 'src', 'bin.ts'), '');

  const { stderr, code } = await finish(talaria.start([], { node: '20.0.0' }));

  assert.match(stderr, /^talaria: Node 26 or newer is needed.*run `npm ci` in .* first\.\n$/);
  assert.equal(code, 1);
});

for (const { title, says, ...pretend } of refusals) {
  test(`${title}, in one line and with exit code 1`, async () => {
    await using talaria = await makePackage();

    const { stdout, stderr, code } = await finish(talaria.start([], pretend));

    assert.match(stderr, says);
    assert.equal(stderr.trimEnd().split('\n').length, 1);
    assert.deepEqual({ stdout, code }, { stdout: '', code: 1 });
  });
}

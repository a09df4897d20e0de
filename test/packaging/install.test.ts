import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { makeTempFolder } from '../support/temp-folder.ts';

const root = join(import.meta.dirname, '..', '..');

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(file: string, args: readonly string[], cwd: string, env = process.env): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(file, args, { cwd, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
    });
    child.stdin?.end(); // what may still come in on stdin belongs to the prompt, so an open one is waited for
  });
}

/** Packs the project as it would be published; the names are those of the tarball and of the files in it. */
async function pack(folder: string): Promise<{ readonly tarball: string; readonly files: readonly string[] }> {
  const { code, stdout, stderr } = await run('npm', ['pack', '--json', '--pack-destination', folder], root);
  assert.equal(code, 0, stderr);
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as { filename: string; files: { path: string }[] }[];
  assert.ok(packed);
  return { tarball: packed.filename, files: packed.files.map(({ path }) => path) };
}

/** Installs the tarball. Returns why that cannot be done here, or false. */
async function install(folder: string, tarball: string): Promise<string | false> {
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  const { code, stderr } = await run('npm', ['install', ...options, `./${tarball}`], folder);
  const unreachable = /npm error code (ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT)/.exec(stderr);
  if (unreachable) return `the package registry cannot be reached (${unreachable[1]})`;
  assert.equal(code, 0, stderr);
  return false;
}

const folder = await makeTempFolder();
after(() => folder[Symbol.asyncDispose]());
const { tarball, files } = await pack(folder.path);
const skip = await install(folder.path, tarball);

/** Runs the installed command in an environment without keys, so that no real model is asked. */
function talaria(args: readonly string[], path: string = process.env['PATH'] ?? ''): Promise<Outcome> {
  const command = join(folder.path, 'node_modules', '.bin', 'talaria');
  return run(command, args, folder.path, { PATH: path, HOME: folder.path });
}

test('the package holds what was built and no sources', () => {
  assert.ok(files.includes('dist/bin.js') && files.includes('bin/talaria.js') && files.includes('LICENSE'));
  assert.ok(files.includes('dist/render-worker.js'));
  assert.ok(files.includes('ui/page.html') && files.includes('ui/page.js') && files.includes('ui/page.css'));
  assert.deepEqual(
    files.filter((path) => path.endsWith('.ts')),
    [],
  );
});

test('the installed program says its version', { skip }, async () => {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };

  const { code, stdout, stderr } = await talaria(['--version']);

  assert.match(stdout, new RegExp(`\\b${RegExp.escape(version)}\\b`));
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
});

test('the installed program starts with whatever Node the machine has', { skip }, async () => {
  const bundled = join('node_modules', '.bin');
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((entry) => !entry.endsWith(bundled));

  const { code, stderr } = await talaria(['--version'], path.join(delimiter));

  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
});

test('the installed program answers a first question with nothing set up', { skip }, async () => {
  const { code, stdout } = await talaria(['run', 'what time is it']);

  assert.equal(code, 0);
  assert.notEqual(stdout.trim(), '');
});

test('every file of the installed program finds what it takes from the others', { skip }, async () => {
  // These do something as soon as they are loaded.
  const programs = new Set(['dist/bin.js', 'dist/render-worker.js']);
  const loaded = files.filter((path) => /^dist\/.*\.js$/.test(path) && !programs.has(path));
  const program = `for (const path of ${JSON.stringify(loaded)}) await import('./' + path);\nprocess.exit();`;
  const installed = join(folder.path, 'node_modules', 'talaria-agent');

  const { code, stderr } = await run(process.execPath, ['--input-type=module', '--eval', program], installed);

  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
});

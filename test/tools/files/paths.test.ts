import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { openToolBench } from '../open-toolbox.ts';
import type { ToolBench } from '../open-toolbox.ts';

const corpus = await readFile(new URL('paths.txt', import.meta.url), 'utf8');
const canary = 'canary-5f1d';

type Way = 'read_file' | 'write_file' | 'patch';
const waysOf: Readonly<Record<string, readonly Way[]>> = {
  read: ['read_file'],
  write: ['write_file', 'patch'],
  both: ['read_file', 'write_file', 'patch'],
};

interface HostilePath {
  readonly path: string;
  readonly ways: readonly Way[];
}

function readCorpus(places: Readonly<Record<string, string>>): readonly HostilePath[] {
  return corpus.split('\n').flatMap((line) => {
    const [, kind, written = ''] = /^(read|write|both) +(.*)$/.exec(line) ?? [];
    if (kind === undefined) assert.match(line, /^(?:#.*)?$/, 'every line is labelled, empty or a comment');
    const path = written
      .replaceAll(/\\u\{([0-9a-f]+)\}/g, (_, digits: string) => String.fromCodePoint(Number.parseInt(digits, 16)))
      .replaceAll('\\0', '\0')
      .replaceAll(/\{(\w+)\}/g, (whole, name: string) => places[name] ?? whole);
    return kind === undefined ? [] : [{ path, ways: waysOf[kind] ?? [] }];
  });
}

/** Links as an attacker would lay them in a folder that the model works in. */
async function layTraps({ workdir, home, userHome }: ToolBench, outside: string): Promise<void> {
  const links: Readonly<Record<string, string>> = {
    'to-outside': outside,
    'to-file': join(outside, 'file'),
    'to-etc': '/etc',
    'to-root': '/',
    'to-parent': '..',
    'to-dangling': join(outside, 'not-yet'),
    'to-new-in-outside': join(outside, 'new'),
    'to-relative': '../outside',
    chain1: 'chain2',
    chain2: 'chain3',
    chain3: outside,
    'chain-env': 'to-env',
    'to-home': userHome,
    'to-tilde': join(userHome, '.profile'),
    'to-ssh': join(userHome, '.ssh'),
    'to-netrc': join(userHome, '.netrc'),
    'to-proc': '/proc',
    'to-environ': '/proc/self/environ',
    'to-self-root': '/proc/self/root',
    'to-cwd': '.',
    'to-talaria': home,
    'to-env': join(home, '.env'),
    'deep/to-outside': outside,
  };
  for (const folder of [outside, join(workdir, 'deep'), join(workdir, 'a'), join(home, 'state')]) {
    await mkdir(folder, { recursive: true });
  }
  await symlink(workdir, join(outside, 'link-in'));
  await symlink('..', join(outside, 'link-back-out'));
  for (const [name, target] of Object.entries(links)) await symlink(target, join(workdir, name));
  const secrets = ['.ssh/id_rsa', '.ssh/id_ed25519', '.netrc', '.aws/credentials'].map((name) => join(userHome, name));
  for (const file of [...secrets, join(home, '.env'), join(home, 'state/talaria.db'), join(outside, 'file')]) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, canary);
  }
}

function inputOf(way: Way, path: string): { readonly path: string } {
  if (way === 'read_file') return { path };
  const edit = { old_string: canary, new_string: 'written' };
  return way === 'write_file' ? Object.assign({ path }, { content: 'written' }) : Object.assign({ path }, edit);
}

/** Every file of a folder with its content; links are not followed. */
async function snapshot(folder: string): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const each of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, each.name);
    if (each.isDirectory()) Object.assign(found, await snapshot(path));
    else if (each.isFile()) found[path] = await readFile(path, 'utf8');
  }
  return found;
}

test('of the hostile paths of the corpus none is read or written unasked', async () => {
  await using bench = await openToolBench();
  const outside = join(dirname(bench.workdir), 'outside');
  await layTraps(bench, outside);
  const places = { work: bench.workdir, user: bench.userHome, talaria: bench.home, outside };
  const odd = { long: 'x'.repeat(5000), deep: 'x/'.repeat(3000) };
  const paths = readCorpus({ ...places, ...odd });
  const kept = [outside, bench.home, bench.userHome];
  const before = await Promise.all(kept.map(snapshot));
  const passed: string[] = [];

  for (const { path, ways } of paths) {
    for (const way of ways) {
      const { risk, run } = await bench.prepare(way, inputOf(way, path));
      if (risk.type !== 'safe') continue;
      passed.push(`${way} ${JSON.stringify(path).slice(0, 100)}: ${(await run()).type}`);
    }
  }

  assert.ok(paths.length >= 150, `${paths.length} paths`);
  assert.deepEqual(passed, []);
  assert.deepEqual(await Promise.all(kept.map(snapshot)), before);
});

import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { findContext, readContext } from '../../../src/store/prompt/context-files.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';

function write(folder: string, ...names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), `text of ${name}`);
  }
}

interface Read {
  readonly texts: readonly string[];
  readonly problems: readonly string[];
}

function readIn(workdir: string, isTrusted: (folder: string) => boolean = () => true): Read {
  const problems: string[] = [];
  const found = findContext(workdir);
  const files = found === undefined ? [] : readContext(found, isTrusted, (problem) => problems.push(problem));
  return { texts: files.map(({ text }) => text), problems };
}

test('of the names that people use the first in rank counts, and no other', async () => {
  await using folder = await makeTempFolder();
  const ranked = ['.hermes.md', 'HERMES.md', 'AGENTS.md', 'CLAUDE.md', '.cursorrules'];
  const seen: (readonly string[])[] = [readIn(folder.path).texts];

  for (const name of ranked.toReversed()) {
    write(folder.path, name);
    seen.push(readIn(folder.path).texts);
  }

  assert.deepEqual(seen, [[], ...ranked.toReversed().map((name) => [`text of ${name}`])]);
});

test('the rules of Cursor may be several files, which are read in the order of their names', async () => {
  await using folder = await makeTempFolder();
  write(folder.path, '.cursorrules', '.cursor/rules/b.mdc', '.cursor/rules/a.mdc', '.cursor/rules/notes.txt');

  const { texts } = readIn(folder.path);

  assert.deepEqual(texts, ['text of .cursorrules', 'text of .cursor/rules/a.mdc', 'text of .cursor/rules/b.mdc']);
});

test('the nearest folder that has a file counts, up to the root of the repository and no further', async () => {
  await using folder = await makeTempFolder();
  const repository = join(folder.path, 'repository');
  mkdirSync(join(repository, '.git'), { recursive: true });
  mkdirSync(join(repository, 'a', 'b'), { recursive: true });
  write(folder.path, 'AGENTS.md');

  const outside = readIn(join(repository, 'a', 'b'));
  write(repository, 'CLAUDE.md');
  const above = readIn(join(repository, 'a', 'b'));
  write(join(repository, 'a'), '.cursorrules');
  const nearest = readIn(join(repository, 'a', 'b'));

  assert.deepEqual(outside.texts, []);
  assert.deepEqual(above.texts, ['text of CLAUDE.md']);
  assert.deepEqual(nearest.texts, ['text of .cursorrules']);
});

test('outside of a repository only the folder itself counts', async () => {
  await using folder = await makeTempFolder();
  write(folder.path, 'AGENTS.md');
  mkdirSync(join(folder.path, 'sub'));

  assert.deepEqual(readIn(join(folder.path, 'sub')).texts, []);
});

test('a link inside of the project is followed, one that leads out of it is not, and that is reported', async () => {
  await using folder = await makeTempFolder();
  const project = join(folder.path, 'project');
  write(folder.path, 'secret.txt');
  write(project, 'docs/rules.md');
  symlinkSync('docs/rules.md', join(project, 'CLAUDE.md'));
  const inside = readIn(project);

  symlinkSync('../secret.txt', join(project, 'AGENTS.md'));
  const outside = readIn(project);

  assert.deepEqual(inside, { texts: ['text of docs/rules.md'], problems: [] });
  const problem = `${join(project, 'AGENTS.md')} is not read: it is a link that leads out of ${project}`;
  assert.deepEqual(outside, { texts: [], problems: [problem] });
});

test('a file is read only where the folder that it is really in is trusted', async () => {
  await using folder = await makeTempFolder();
  mkdirSync(join(folder.path, '.git'));
  write(folder.path, 'AGENTS.md');
  mkdirSync(join(folder.path, 'sub'));
  symlinkSync('../AGENTS.md', join(folder.path, 'sub', 'AGENTS.md'));
  const sub = join(folder.path, 'sub');

  const onlySub = readIn(sub, (asked) => asked === sub);
  const all = readIn(sub);

  assert.deepEqual(onlySub, { texts: [], problems: [] });
  assert.deepEqual(all.texts, ['text of AGENTS.md']);
});

test('what nobody sees in a context file is taken out and counted', async () => {
  await using folder = await makeTempFolder();
  writeFileSync(join(folder.path, 'AGENTS.md'), 'Use tabs.\u200B\u{E0041}');
  const found = findContext(folder.path);
  assert.ok(found);

  const files = readContext(found, () => true, assert.fail);

  assert.deepEqual(files, [{ path: join(folder.path, 'AGENTS.md'), text: 'Use tabs.', hidden: 2 }]);
});

import assert from 'node:assert/strict';
import { chmod, lstat, mkdir, readFile, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { replaceFile } from '../../src/tools/files/replace-file.ts';
import { openToolBench } from './open-toolbox.ts';

test('FILE-06 a file is created with its folders, or replaced whole', async () => {
  await using bench = await openToolBench();
  const path = join(bench.workdir, 'a/b/c.txt');

  const created = await bench.run('write_file', { path: 'a/b/c.txt', content: 'grün\n' });
  const replaced = await bench.run('write_file', { path: 'a/b/c.txt', content: '' });

  assert.deepEqual([created, replaced], [`created ${path} (6 bytes)`, `replaced ${path} (0 bytes)`]);
  assert.equal(await readFile(path, 'utf8'), '');
  assert.deepEqual(await readdir(join(bench.workdir, 'a/b')), ['c.txt']);
});

test('the mode, the line endings and the byte order mark of a file are kept', async () => {
  await using bench = await openToolBench();
  const path = join(bench.workdir, 'run.bat');
  await writeFile(path, '\uFEFFone\r\ntwo\r\n');
  await chmod(path, 0o751);

  await bench.run('write_file', { path, content: 'three\nfour\n' });

  assert.equal(await readFile(path, 'utf8'), '\uFEFFthree\r\nfour\r\n');
  assert.equal((await stat(path)).mode & 0o777, 0o751);
});

test('a file with mixed line endings is written as the model wrote it', async () => {
  await using bench = await openToolBench();
  await writeFile(join(bench.workdir, 'mixed'), 'one\r\ntwo\n');

  await bench.run('write_file', { path: 'mixed', content: 'a\nb\r\n' });

  assert.equal(await readFile(join(bench.workdir, 'mixed'), 'utf8'), 'a\nb\r\n');
});

test('a link stays a link, and what it points to is written', async () => {
  await using bench = await openToolBench();
  await symlink('target', join(bench.workdir, 'link'));

  const text = await bench.run('write_file', { path: 'link', content: 'x' });

  assert.equal(text, `created ${join(bench.workdir, 'target')} (1 bytes)`);
  assert.ok((await lstat(join(bench.workdir, 'link'))).isSymbolicLink());
});

test('whoever reads while a file is replaced sees it whole, before or after', async () => {
  await using bench = await openToolBench();
  const path = join(bench.workdir, 'f');
  const contents = ['a', 'b'].map((letter) => letter.repeat(200_000));
  await writeFile(path, contents[0] ?? '');
  const written = new AbortController();
  const seen = new Set<string>();
  const reading = (async (): Promise<void> => {
    while (!written.signal.aborted) seen.add(await readFile(path, 'utf8'));
  })();

  for (let round = 0; round < 20; round += 1) {
    await bench.run('write_file', { path, content: contents[round % 2] ?? '' });
  }
  written.abort();
  await reading;

  assert.deepEqual(
    [...seen].filter((text) => !contents.includes(text)),
    [],
  );
});

test('a file that cannot be put in place leaves nothing behind', async () => {
  await using bench = await openToolBench();
  await mkdir(join(bench.workdir, 'folder/full'), { recursive: true });

  await assert.rejects(replaceFile(join(bench.workdir, 'folder'), 'x', undefined), { code: 'EISDIR' });

  assert.deepEqual(await readdir(bench.workdir), ['folder']);
});

test('FILE-09 edits of one file wait for each other, so that none is lost', async () => {
  await using bench = await openToolBench();
  const names = Array.from({ length: 20 }, (_, index) => `<${index}>`);
  await writeFile(join(bench.workdir, 'f'), names.join('\n'));
  await symlink('f', join(bench.workdir, 'other-name'));

  const edit = (name: string, index: number): Promise<string> => {
    const path = index % 2 === 0 ? 'f' : 'other-name';
    return bench.run('patch', { path, old_string: name, new_string: `${name} done` });
  };
  await Promise.all(names.map(edit));

  assert.equal(await readFile(join(bench.workdir, 'f'), 'utf8'), names.map((name) => `${name} done`).join('\n'));
});

const verdicts: readonly (readonly [string, string | undefined, string, 'done' | 'not-done' | 'unknown'])[] = [
  ['there is no file', undefined, 'one\ntwo\n', 'not-done'],
  ['the file is as it would be written', 'one\ntwo\n', 'one\ntwo\n', 'done'],
  ['it is so but for the style that is kept', '\uFEFFone\r\ntwo\r\n', 'one\ntwo\n', 'done'],
  ['the file is empty, as it would be written', '', '', 'done'],
  ['the file has other content', 'mine\n', 'one\ntwo\n', 'unknown'],
  ['the file has other content of the same length', 'one\nTWO\n', 'one\ntwo\n', 'unknown'],
];

for (const [situation, present, content, verdict] of verdicts) {
  test(`after a crash a write is ${verdict} where ${situation}`, async () => {
    await using bench = await openToolBench();
    if (present !== undefined) await writeFile(join(bench.workdir, 'file'), present);

    assert.equal(await bench.verify('write_file', { path: 'file', content }), verdict);
  });
}

test('after a crash nothing is known of a write to what is no file', async () => {
  await using bench = await openToolBench();
  await writeFile(join(bench.workdir, 'file'), '');

  const verdict = await Promise.all(
    ['.', '/dev/null', 'file/below', 'nul\0'].map((path) => bench.verify('write_file', { path, content: '' })),
  );

  assert.deepEqual(new Set(verdict), new Set(['unknown']));
});

test('a very long content is written whole, and what is half a character becomes one', async () => {
  await using bench = await openToolBench();
  const long = 'a line of text\n'.repeat(500_000);

  const text = await bench.run('write_file', { path: 'long', content: long });
  await bench.run('write_file', { path: 'odd', content: 'a\0\uD800\u001B' });

  assert.equal(text, `created ${join(bench.workdir, 'long')} (7500000 bytes)`);
  assert.equal(await readFile(join(bench.workdir, 'long'), 'utf8'), long);
  assert.equal(await readFile(join(bench.workdir, 'odd'), 'utf8'), 'a\0\uFFFD\u001B');
});

test('FILE-07 missing content is an error and never an empty file', async () => {
  await using bench = await openToolBench();

  await assert.rejects(bench.run('write_file', { path: 'f' }), /content is missing/);
  assert.deepEqual(await readdir(bench.workdir), []);
});

test('a folder, a device and a path through a file are refused, and nothing is left behind', async () => {
  await using bench = await openToolBench();
  await mkdir(join(bench.workdir, 'folder'));
  await writeFile(join(bench.workdir, 'file'), '');

  const texts = await Promise.all(
    ['folder', '/dev/null', 'file/below', 'nul\0'].map((path) => bench.run('write_file', { path, content: 'x' })),
  );

  assert.match(texts[0] ?? '', /^ERROR: .*folder is a folder/);
  assert.match(texts[1] ?? '', /^ERROR: \/dev\/null is a device/);
  assert.match(texts[2] ?? '', /^ERROR: .*not a directory/);
  assert.match(texts[3] ?? '', /^REFUSED: no file has such a path/);
  assert.deepEqual((await readdir(bench.workdir)).toSorted(), ['file', 'folder']);
});

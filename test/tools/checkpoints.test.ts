import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { chmod, mkdir, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { newId } from '../../src/base/ids.ts';
import type { FileChange, Rollback } from '../../src/model/file-history.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { openToolBench } from './open-toolbox.ts';
import type { ToolBench } from './open-toolbox.ts';

function beginTurn(bench: ToolBench): void {
  bench.turnId = newId('turn', Date.now());
}

async function rollBack(bench: ToolBench, number = 1, how: 'careful' | 'forced' = 'careful'): Promise<Rollback> {
  return await bench.checkpoints.rollBack(bench.place.sessionId, number, how);
}

function typesOf(rollback: Rollback): readonly FileChange['type'][] {
  return rollback.type === 'none' ? [] : rollback.changes.map(({ type }) => type);
}

test('the files of a turn come back byte for byte, with their modes, and what it created is gone', async () => {
  await using bench = await openToolBench();
  const [old, made] = [join(bench.workdir, 'old.sh'), join(bench.workdir, 'new/deep/made.txt')];
  const bytes = Buffer.from('\uFEFFone\r\ntwo ü\r\n');
  await writeFile(old, bytes);
  await chmod(old, 0o750);

  await bench.run('patch', { path: old, old_string: 'two', new_string: 'three' });
  await bench.run('write_file', { path: old, content: 'all new' });
  await chmod(old, 0o600);
  await bench.run('write_file', { path: made, content: 'x' });
  await bench.run('write_file', { path: join(bench.workdir, 'new/deep/second.txt'), content: 'y' });
  bench.restart();
  const rollback = await rollBack(bench);

  assert.deepEqual([rollback.type, typesOf(rollback)], ['done', ['removed', 'removed', 'put-back']]);
  assert.deepEqual(await readFile(old), bytes);
  assert.equal((await stat(old)).mode & 0o7777, 0o750);
  assert.deepEqual(await readdir(bench.workdir), ['old.sh']);
});

test('a rollback can itself be taken back, and that again', async () => {
  await using bench = await openToolBench();
  const [edited, made] = [join(bench.workdir, 'edited'), join(bench.workdir, 'sub/made')];
  await writeFile(edited, 'before');
  await bench.run('write_file', { path: edited, content: 'after' });
  await bench.run('write_file', { path: made, content: 'made' });
  await chmod(made, 0o711);
  const read = async (): Promise<unknown> => [
    await readFile(edited, 'utf8'),
    await readFile(made, 'utf8').catch(() => 'gone'),
  ];

  await rollBack(bench);
  const first = await read();
  await rollBack(bench);
  const second = await read();
  await rollBack(bench);

  assert.deepEqual(
    [first, second, await read()],
    [
      ['before', 'gone'],
      ['after', 'made'],
      ['before', 'gone'],
    ],
  );
});

test('going back by several turns brings the files to what they were before the first of them', async () => {
  await using bench = await openToolBench();
  const [a, b] = [join(bench.workdir, 'a'), join(bench.workdir, 'b')];
  await writeFile(a, '0');
  for (const content of ['1', '2', '3']) {
    beginTurn(bench);
    await bench.run('write_file', { path: a, content });
  }
  await bench.run('write_file', { path: b, content: 'b' });

  const rollback = await rollBack(bench, 2);

  assert.deepEqual(typesOf(rollback), ['removed', 'put-back']);
  assert.equal(await readFile(a, 'utf8'), '1');
});

test('a file that someone else changed since is not touched, nor is any other, until the user insists', async () => {
  await using bench = await openToolBench();
  const [a, b] = [join(bench.workdir, 'a'), join(bench.workdir, 'b')];
  await writeFile(a, 'a before');
  await bench.run('write_file', { path: a, content: 'a after' });
  await bench.run('write_file', { path: b, content: 'b after' });
  await writeFile(a, 'theirs');

  const refused = await rollBack(bench);
  const untouched = [await readFile(a, 'utf8'), await readFile(b, 'utf8')];
  const forced = await rollBack(bench, 1, 'forced');

  assert.deepEqual([refused.type, typesOf(refused)], ['refused', ['removed', 'changed-since']]);
  assert.deepEqual(untouched, ['theirs', 'b after']);
  assert.deepEqual([forced.type, await readFile(a, 'utf8')], ['done', 'a before']);
  await rollBack(bench);
  assert.equal(await readFile(a, 'utf8'), 'theirs');
});

test('a change that someone made between two turns is noticed, though the last turn wrote over it', async () => {
  await using bench = await openToolBench();
  const path = join(bench.workdir, 'f');
  await writeFile(path, 'first');
  await bench.run('patch', { path, old_string: 'first', new_string: 'second' });
  await writeFile(path, 'theirs');
  beginTurn(bench);
  await bench.run('patch', { path, old_string: 'theirs', new_string: 'third' });

  const both = await rollBack(bench, 2);
  const last = await rollBack(bench, 1);

  assert.deepEqual([both.type, typesOf(both)], ['refused', ['changed-since']]);
  assert.deepEqual([last.type, await readFile(path, 'utf8')], ['done', 'theirs']);
});

test('a rollback that the program ended in the middle of is finished by the next one', async () => {
  await using bench = await openToolBench();
  const paths = ['a', 'b', 'c'].map((name) => join(bench.workdir, name));
  for (const path of paths) await writeFile(path, 'before');
  for (const path of paths) await bench.run('write_file', { path, content: 'after' });
  await rollBack(bench);
  await cutShort(bench);
  await writeFile(paths[0] ?? '', 'after');
  bench.restart();

  const [newest] = await bench.checkpoints.list(bench.place.sessionId);
  const rollback = await rollBack(bench);

  assert.deepEqual(newest?.kind, { type: 'rollback', state: 'cut-short' });
  assert.equal(rollback.type, 'finished');
  assert.deepEqual(await Promise.all(paths.map((path) => readFile(path, 'utf8'))), ['before', 'before', 'before']);
});

test('a rollback that is killed in the middle leaves every file whole, and can be brought to its end', async () => {
  await using bench = await openToolBench();
  const { sessionId } = bench.place;
  const paths = Array.from({ length: 60 }, (_, index) => join(bench.workdir, `f${index}`));
  for (const path of paths) await writeFile(path, 'before');
  for (const path of paths) await bench.run('write_file', { path, content: 'after' });
  const program = fileURLToPath(new URL('../support/rollback-child.ts', import.meta.url));

  const child = spawn(process.execPath, [program, bench.taskFolder, sessionId], { stdio: 'inherit' });
  const watcher = watch(bench.workdir, () => child.kill('SIGKILL'));
  await once(child, 'exit');
  watcher.close();
  const halfway = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  bench.restart();
  const [newest] = await bench.checkpoints.list(sessionId);
  const isOver = newest?.kind.type === 'rollback' && newest.kind.state === 'done';
  if (!isOver) await rollBack(bench);

  assert.deepEqual(new Set([...halfway, 'before', 'after']), new Set(['before', 'after']));
  assert.deepEqual(new Set(await Promise.all(paths.map((path) => readFile(path, 'utf8')))), new Set(['before']));
});

/** Leaves the newest rollback as a kill before its last line would. */
async function cutShort(bench: ToolBench): Promise<void> {
  const folder = join(bench.taskFolder, bench.place.sessionId, 'checkpoints');
  for (const name of (await readdir(folder)).filter((each) => each.endsWith('.jsonl'))) {
    const text = await readFile(join(folder, name), 'utf8');
    await writeFile(join(folder, name), text.replace('{"type":"done"}', '{"type":"do'));
  }
}

test('a link that has taken the place of a file is not followed by a rollback', async () => {
  await using bench = await openToolBench();
  const [path, outside] = [join(bench.workdir, 'sub/f'), join(bench.userHome, 'f')];
  await mkdir(join(bench.workdir, 'sub'));
  await writeFile(path, 'before');
  await bench.run('write_file', { path, content: 'after' });
  await rm(join(bench.workdir, 'sub'), { recursive: true });
  await writeFile(outside, 'after');
  await symlink(bench.userHome, join(bench.workdir, 'sub'));

  const rollback = await rollBack(bench, 1, 'forced');

  assert.deepEqual(typesOf(rollback), ['failed']);
  assert.equal(await readFile(outside, 'utf8'), 'after');
});

test('what a write would replace is on the disk before the write begins; where it cannot be kept nothing is written', async () => {
  await using bench = await openToolBench();
  const path = join(bench.workdir, 'f');
  await writeFile(path, 'before');
  await mkdir(join(bench.taskFolder, bench.place.sessionId), { recursive: true });
  await writeFile(join(bench.taskFolder, bench.place.sessionId, 'checkpoints'), 'in the way');

  const outcome = await bench.outcome('write_file', { path, content: 'after' });

  assert.equal(outcome.type, 'failed');
  assert.equal(await readFile(path, 'utf8'), 'before');
  await rm(join(bench.taskFolder, bench.place.sessionId, 'checkpoints'));
});

test('a file that is too large is not kept, and a rollback says so', async () => {
  await using bench = await openToolBench();
  const path = join(bench.workdir, 'large');
  await writeFile(path, Buffer.alloc(20_000_001, 'x'));

  await bench.run('write_file', { path, content: 'small' });
  const rollback = await rollBack(bench);

  assert.deepEqual(typesOf(rollback), ['not-kept']);
  assert.equal(await readFile(path, 'utf8'), 'small');
});

test('checkpoints are forgotten with age and number, with what was kept for them, and go with the task', async () => {
  const clock = new ManualClock();
  await using bench = await openToolBench({ clock });
  const path = join(bench.workdir, 'f');
  for (let count = 0; count < 55; count += 1) {
    bench.turnId = `trn_${String(count).padStart(3, '0')}` as never;
    clock.advance(1000);
    await bench.run('write_file', { path, content: `content ${count}` });
  }
  const { sessionId } = bench.place;
  const folder = join(bench.taskFolder, sessionId, 'checkpoints');

  const byNumber = (await bench.checkpoints.list(sessionId)).length;
  const objects = (await readdir(join(folder, 'objects'))).length;
  clock.advance(15 * 24 * 60 * 60 * 1000);
  bench.turnId = 'trn_last' as never;
  await bench.run('write_file', { path, content: 'last' });
  const byAge = (await bench.checkpoints.list(sessionId)).length;
  await bench.toolbox.endTask(sessionId);

  assert.deepEqual([byNumber, byAge], [51, 1]);
  assert.ok(objects <= 51, `${objects} kept files`);
  assert.deepEqual(await bench.checkpoints.list(sessionId), []);
});

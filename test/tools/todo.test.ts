import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openToolBench } from './open-toolbox.ts';

test('TODO-01 a list is replaced, changed by id and read, and outlives a restart', async () => {
  await using bench = await openToolBench();
  const todos = [
    { id: '1', content: 'read', status: 'completed' },
    { id: '2', content: 'write' },
  ];

  const empty = await bench.run('todo', {});
  await bench.run('todo', { todos });
  const merged = await bench.run('todo', {
    todos: [
      { id: '2', status: 'in_progress' },
      { id: '3', content: 'test', status: 'cancelled' },
    ],
    merge: true,
  });
  bench.restart();
  const read = await bench.run('todo', {});
  const replaced = await bench.run('todo', { todos: [{ id: 'x', content: 'other' }] });

  assert.equal(empty, 'The list is empty.');
  assert.equal(merged, '[x] 1: read\n[>] 2: write\n[-] 3: test\n2 of 3 done');
  assert.equal(read, merged);
  assert.equal(replaced, '[ ] x: other\n0 of 1 done');
});

test('TODO-02 the last word on an id counts, and a list has an end', async () => {
  await using bench = await openToolBench();
  const many = Array.from({ length: 257 }, (_, index) => ({ id: String(index), content: 'x' }));

  const twice = await bench.run('todo', {
    todos: [
      { id: 'a', content: 'first' },
      { id: 'a', content: 'second' },
    ],
  });
  const tooMany = await bench.run('todo', { todos: many });
  const tooLong = await bench.run('todo', { todos: [{ id: 'a'.repeat(101), content: 'x' }] });

  assert.equal(twice, '[ ] a: second\n0 of 1 done');
  assert.equal(tooMany, 'ERROR: a list has room for 256 items');
  assert.equal(tooLong, 'ERROR: an id is longer than 100 characters');
  assert.equal(await bench.run('todo', {}), twice);
});

test('each session has its own list, which goes with its task', async () => {
  await using bench = await openToolBench();
  await bench.run('todo', { todos: [{ id: 'a', content: 'ours' }] });

  const other = await bench.run('todo', {}, { sessionId: 'ses_other' as never });
  await bench.toolbox.endTask(bench.place.sessionId);

  assert.equal(other, 'The list is empty.');
  assert.equal(await bench.run('todo', {}), 'The list is empty.');
});

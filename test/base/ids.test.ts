import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/base/ids.ts';

test('ids sort by the time they were made', () => {
  const times = [0, 1, 31, 32, 1_000_000, Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 1) + 1, Date.UTC(2999, 0, 1)];
  const ids = times.map((time) => newId('turn', time));

  assert.deepEqual(ids.toSorted(), ids);
});

test('ids made in the same millisecond differ', () => {
  const ids = Array.from({ length: 1000 }, () => newId('session', 5));

  assert.equal(new Set(ids).size, 1000);
  assert.match(ids[0] ?? '', /^ses_[0-9a-z]{20}$/);
});

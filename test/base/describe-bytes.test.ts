import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeBytes } from '../../src/base/describe-bytes.ts';

test('a size is told in the unit that fits, and never less than it is', () => {
  const [kilobyte, megabyte, gigabyte] = [1024, 1024 ** 2, 1024 ** 3];
  const told: readonly (readonly [number, string])[] = [
    [0, '0 KB'],
    [1, '1 KB'],
    [kilobyte, '1 KB'],
    [kilobyte + 1, '2 KB'],
    [34_567, '34 KB'],
    [megabyte - 1, '1 MB'],
    [megabyte, '1 MB'],
    [3.75 * megabyte, '3.75 MB'],
    [3.75 * megabyte + 1, '3.76 MB'],
    [22.5 * megabyte, '22.5 MB'],
    [40 * gigabyte, '40 GB'],
    [5000 * 1024 * gigabyte, '5000 TB'],
  ];

  for (const [bytes, text] of told) assert.equal(describeBytes(bytes), text);
});

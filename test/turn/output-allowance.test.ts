import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outputAllowance } from '../../src/turn/output-allowance.ts';

test('more output is allowed after every cut, within a limit and never less than was asked for before', () => {
  assert.equal(outputAllowance(undefined, 0), undefined);
  assert.equal(outputAllowance(undefined, 1), 8192);
  assert.equal(outputAllowance(undefined, 30), 32_000);
  assert.equal(outputAllowance(50_000, 3), 50_000);
});

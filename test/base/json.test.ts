import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJson, stableJson } from '../../src/base/json.ts';

test('equal values give equal bytes, whatever order their keys were written in', () => {
  assert.equal(stableJson({ b: [{ d: 1, c: null }], a: 'x' }), '{"a":"x","b":[{"c":null,"d":1}]}');
  assert.equal(stableJson({ a: 'x', b: [{ c: null, d: 1 }] }), '{"a":"x","b":[{"c":null,"d":1}]}');
});

test('text that is not JSON parses to undefined', () => {
  assert.equal(parseJson('{"a":'), undefined);
  assert.deepEqual(parseJson('{"a":1}'), { a: 1 });
});

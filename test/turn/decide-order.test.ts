import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolEffect } from '../../src/model/tool.ts';
import { decideOrder } from '../../src/turn/decide-order.ts';
import type { PlannedCall } from '../../src/turn/decide-order.ts';

function call(
  effect: ToolEffect,
  paths: readonly string[] | 'anything',
  needs: PlannedCall['needs'] = 'nothing',
): PlannedCall {
  return { effect, footprint: paths === 'anything' ? { type: 'anything' } : { type: 'files', paths }, needs };
}

const cases: readonly (readonly [string, readonly PlannedCall[], 'side-by-side' | 'one-by-one'])[] = [
  ['a single read', [call('reads', ['/a'])], 'one-by-one'],
  ['two reads', [call('reads', ['/a']), call('reads', ['/b'])], 'side-by-side'],
  ['two reads of one file', [call('reads', ['/a']), call('reads', ['/a'])], 'side-by-side'],
  ['two reads of anything', [call('reads', 'anything'), call('reads', 'anything')], 'side-by-side'],
  ['two writes of different files', [call('idempotent', ['/a']), call('verifiable', ['/b'])], 'side-by-side'],
  ['two writes of one file', [call('idempotent', ['/a']), call('verifiable', ['/a'])], 'one-by-one'],
  ['a read and a write of one file', [call('reads', ['/a']), call('idempotent', ['/a'])], 'one-by-one'],
  ['a search of a folder and a write in it', [call('reads', ['/a']), call('idempotent', ['/a/b/c'])], 'one-by-one'],
  [
    'a write in a folder whose name only begins alike',
    [call('reads', ['/a']), call('idempotent', ['/ab'])],
    'side-by-side',
  ],
  ['anything under the root folder', [call('reads', ['/']), call('idempotent', ['/ab'])], 'one-by-one'],
  ['a read of anything and a write', [call('reads', 'anything'), call('idempotent', ['/a'])], 'one-by-one'],
  ['a read and something unsafe', [call('reads', ['/a']), call('unsafe', ['/b'])], 'one-by-one'],
  ['a write of no known files', [call('reads', ['/a']), call('keyed', 'anything')], 'one-by-one'],
  ['a write that needs consent', [call('reads', ['/a']), call('idempotent', ['/b'], 'consent')], 'one-by-one'],
];

for (const [what, calls, order] of cases) {
  test(`calls are run ${order}: ${what}`, () => {
    assert.equal(decideOrder(calls), order);
  });
}

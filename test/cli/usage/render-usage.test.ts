import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseStyle } from '../../../src/cli/render/style.ts';
import { renderUsage } from '../../../src/cli/usage/render-usage.ts';
import type { UsageSum } from '../../../src/gateway/usage-report.ts';

const sum: UsageSum = {
  calls: 12,
  fresh: 1500,
  cacheRead: 98_500,
  cacheWrite: 0,
  output: 2400,
  reasoning: 0,
  knownCost: 420_000,
  unpriced: [],
  uncounted: 0,
};
const table = { by: 'day', rows: [['2026-11-15', sum]], total: sum } as const;
const plain = chooseStyle({ isTerminal: false, env: {} });

test('a terminal that is too narrow for the table gets a few lines for each row, none of them too long', () => {
  const wide = renderUsage(table, plain, 80);
  const narrow = renderUsage(table, plain, 40);

  assert.equal(wide.split('\n')[1], '2026-11-15     12   1.5k   98.5k        0    2.4k        98 %  $0.42');
  assert.deepEqual(narrow.split('\n').slice(0, 4), [
    '2026-11-15  $0.42',
    '  12 calls, 98 % from the cache',
    '  1.5k fresh, 98.5k cached, 0 written,',
    '2.4k output',
  ]);
  assert.ok(narrow.split('\n').every((line) => line.length <= 40));
});

test('colours are only used where they may be, and never change the columns', () => {
  const terminal = chooseStyle({ isTerminal: true, env: {} });
  const forbidden = chooseStyle({ isTerminal: true, env: { NO_COLOR: '1' } });

  const coloured = renderUsage(table, terminal, 80);

  assert.ok(coloured.includes('\u001b[1mtotal'));
  // oxlint-disable-next-line no-control-regex
  assert.equal(coloured.replaceAll(/\u001b\[\d+m/g, ''), renderUsage(table, plain, 80));
  assert.equal(renderUsage(table, forbidden, 80), renderUsage(table, plain, 80));
});

test('a name from outside cannot steer the terminal', () => {
  const shown = renderUsage({ ...table, rows: [['ses_1 \u001b[2Jx', sum]] }, plain, 200);

  assert.ok(!shown.includes('\u001b'));
});

import type { Figure } from './figure.ts';
import { medianTimes, runToEnd } from './measure.ts';
import type { Product } from './product.ts';

/** How long it takes to do nothing: `--version` beside a program with no lines. */
export async function measureStart(product: Product): Promise<readonly Figure[]> {
  const empty = await product.writeBare('empty.mjs', '');
  const times = await medianTimes(
    {
      empty: () => runToEnd(empty),
      version: () => runToEnd(product.talaria(['--version'])),
    },
    25,
  );
  return [
    {
      name: 'cold start (--version)',
      value: times.version,
      unit: 'ms',
      floor: { name: 'an empty program', value: times.empty },
      bar: { type: 'times-floor', most: 1.6 },
    },
  ];
}

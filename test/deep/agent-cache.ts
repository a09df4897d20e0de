import { test } from 'node:test';
import { openCacheBench } from '../agents/cache-bench.ts';
import { checkCache } from '../support/random-cache.ts';

// One conversation of the other deep test takes about as long as a hundred of these.
const operations = 100 * Number(process.env['TALARIA_DEEP'] ?? 10_000);
const seed = Number(process.env['TALARIA_SEED'] ?? Date.now() % 1_000_000_000);

test(`over ${operations} random operations, from seed ${seed} on, the cache of agents does what a simple model of it does`, async (t) => {
  await using bench = await openCacheBench();

  const counts = await checkCache(operations, seed, bench);

  t.diagnostic([...counts].map(([name, times]) => `${name} ${times}`).join(', '));
});

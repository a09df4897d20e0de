import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkCache, operationKinds } from '../support/random-cache.ts';
import { openCacheBench } from './cache-bench.ts';

test('whatever is done to the cache, in whatever order, it holds what a simple model of it says and lets go of the rest', async (t) => {
  await using bench = await openCacheBench();
  const seed = 20_261_115;

  const counts = await checkCache(10_000, seed, bench);

  t.diagnostic(`seed ${seed}: ${[...counts].map(([name, times]) => `${name} ${times}`).join(', ')}`);
  assert.deepEqual(new Set(counts.keys()), operationKinds);
});

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { localTime } from '../../src/base/local-time.ts';

const file = join(import.meta.dirname, '..', '..', 'src', 'base', 'local-time.ts');

test('a moment is told in the time of whoever reads it, to the minute', () => {
  const script = `import { localTime } from '${file}'; console.log(localTime('2026-03-01T23:05:59.123Z'))`;

  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, TZ: 'Asia/Tokyo' },
    encoding: 'utf8',
  });

  assert.equal(stdout, '2026-03-02 08:05\n');
});

test('what is no time is told as it is', () => {
  assert.equal(localTime('long ago'), 'long ago');
});

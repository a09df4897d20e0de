import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { keyMark } from '../../src/base/redact.ts';
import { callsTool, says } from '../support/model-script.ts';
import { openTestHouse } from '../support/test-house.ts';
import { openToolBench } from './open-toolbox.ts';

const key = 'tlr-4f8a0c2e9b7d1357';

for (const [name, call] of [
  ['the terminal', callsTool('terminal', { command: 'cat settings.ini' })],
  ['read_file', callsTool('read_file', { path: 'settings.ini' })],
  ['search_files', callsTool('search_files', { pattern: 'token' })],
] as const) {
  test(`SEC-01 a key of ours does not reach the model through ${name}`, async () => {
    await using house = await openTestHouse({
      script: [call, says('Seen.')],
      prepareHome: (home) => writeFile(join(home, '.env'), `EXAMPLE_API_KEY=${key}\n`, { mode: 0o600 }),
    });
    const encoded = Buffer.from(key).toString('base64');
    await writeFile(join(house.workdir, 'settings.ini'), `token=${key}\ntoken64=${encoded}\nurl=https://example.com\n`);

    await house.say('look');

    const body = house.server.requests[1]?.body ?? '';
    assert.ok(!body.includes(key) && !body.includes(encoded));
    assert.ok(body.includes(`token=${keyMark}`));
    assert.ok(!JSON.stringify(await house.log()).includes(key));
  });
}

test('SEC-03w the mark of a key is never written back into a file, by whatever tool', async () => {
  await using bench = await openToolBench();
  const file = join(bench.workdir, 'settings.ini');
  await writeFile(file, `token=${key}\nmode=a\n`);
  const marked = `token=${keyMark}\n`;

  for (const [tool, input] of [
    ['write_file', { path: 'settings.ini', content: `${marked}mode=b\n` }],
    ['patch', { path: 'settings.ini', old_string: 'mode=a', new_string: `${marked}mode=b` }],
    ['patch', { path: 'settings.ini', old_string: `${marked}mode=a`, new_string: 'mode=b' }],
    ['terminal', { command: `echo '${marked}' > settings.ini` }],
  ] as const) {
    const { risk, run } = await bench.prepare(tool, input);
    assert.equal(risk.type, 'forbidden', tool);
    if (tool !== 'terminal') assert.equal((await run()).type, 'refused', tool);
  }
  const around = await bench.outcome('patch', { path: 'settings.ini', old_string: 'mode=a', new_string: 'mode=b' });

  assert.equal(around.type, 'done');
  assert.equal(await readFile(file, 'utf8'), `token=${key}\nmode=b\n`);
});

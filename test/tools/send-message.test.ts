import assert from 'node:assert/strict';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openToolBench } from './open-toolbox.ts';

test('the file of a message is judged when it is sent: a link that leads to our secrets by then, or to what nobody was asked about, is refused', async () => {
  await using bench = await openToolBench();
  const lead = async (to: string): Promise<void> => {
    await rm(join(bench.workdir, 'link'), { force: true });
    await symlink(to, join(bench.workdir, 'link'));
  };
  await writeFile(join(bench.home, '.env'), 'KEY=1');
  for (const name of ['plain', '.netrc', '.pgpass']) await writeFile(join(bench.workdir, name), 'text');
  const input = { text: 'Here it is.', file: 'link' };

  await lead('plain');
  const plain = [await bench.prepare('send_message', input), await bench.prepare('send_message', input)];
  await lead('.netrc');
  const login = [await bench.prepare('send_message', input), await bench.prepare('send_message', input)];
  const asAsked = await login[0]?.run();
  await lead('.pgpass');
  const unasked = [await login[1]?.run(), await plain[0]?.run()];
  await lead(join(bench.home, '.env'));
  const forbidden = await plain[1]?.run();

  assert.deepEqual(
    [...plain, ...login].map(({ risk }) => risk.type),
    ['safe', 'safe', 'ask', 'ask'],
  );
  assert.equal(asAsked?.type, 'done');
  const reason = `that now leads to ${join(bench.workdir, '.pgpass')}, which the user was not asked about`;
  assert.deepEqual(unasked, [
    { type: 'refused', reason },
    { type: 'refused', reason },
  ]);
  assert.equal(forbidden?.type, 'refused');
});

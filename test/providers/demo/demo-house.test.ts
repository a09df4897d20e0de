import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { needsSandbox } from '../../support/sandbox.ts';
import { openTestHouse } from '../../support/test-house.ts';
import type { TestHouse } from '../../support/test-house.ts';

async function openDemoHouse(sandbox: 'auto' | 'off'): Promise<TestHouse> {
  return await openTestHouse({ script: [], settings: { model: { provider: 'demo' }, terminal: { sandbox } } });
}

function questionsIn(house: TestHouse): readonly string[] {
  return house.shown.flatMap(({ kind, text }) => (kind === 'question' ? [text] : []));
}

test('without a key a newcomer sees files written, changed, added to and deleted, and is asked about commands', async () => {
  await using house = await openDemoHouse('off');
  const out = join(house.workdir, 'out.txt');

  const written = await house.say('write hello to out.txt');
  const changed = await house.say('change hello to bye in out.txt');
  const added = await house.say('append "it\'s late" to it');
  const text = await readFile(out, 'utf8');
  const deleted = await house.say('delete out.txt');
  const asked = questionsIn(house);

  assert.match(written, /I wrote this to out\.txt/);
  assert.match(changed, /I changed out\.txt:\n\n```\n@@ .* @@\n-hello\n\+bye\n```/);
  assert.match(added, /I added that to the end of out\.txt\./);
  assert.equal(text, "bye\nit's late\n");
  assert.match(deleted, /I deleted out\.txt\./);
  assert.equal(existsSync(out), false);
  assert.equal(asked.length, 2);
});

test('without a key a newcomer sees a process run in the background, and stops it', async () => {
  await using house = await openDemoHouse('off');

  const started = await house.say('run sleep 30; exec sleep 30 in the background');
  const running = await house.say('what is running');
  const stopped = await house.say('stop it');

  const id = /as (proc_\w+)\./.exec(started)?.[1] ?? 'none';
  assert.match(running, new RegExp(`${id} is running; started .*: sleep 30; exec sleep 30`));
  assert.match(stopped, new RegExp(`${id} is killed`));
});

test(
  'without a key a newcomer behind a sandbox sees what it bars, and is asked before it is left',
  await needsSandbox(),
  async () => {
    await using house = await openDemoHouse('auto');
    const barred = await house.say('run touch /etc/talaria-demo; false');
    const askedBefore = questionsIn(house).length;

    await house.say('run echo hi > out.txt outside the sandbox');

    assert.match(barred, /did not succeed:[^]*This ran in the sandbox: [^\n]* say: run it outside the sandbox\./);
    assert.doesNotMatch(barred, /outside: true/);
    assert.equal(askedBefore, 0);
    assert.match(questionsIn(house)[0] ?? '', /^echo hi > out\.txt\nin .*, outside the sandbox/m);
    assert.equal(await readFile(join(house.workdir, 'out.txt'), 'utf8'), 'hi\n');
  },
);

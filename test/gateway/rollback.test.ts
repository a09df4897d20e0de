import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Intake } from '../../src/gateway/intake.ts';
import { callsTool, delays, says } from '../support/model-script.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import { anna } from '../support/telegram-server.ts';
import { openTestHouse } from '../support/test-house.ts';
import type { TestHouse } from '../support/test-house.ts';

async function command(house: TestHouse, text: string): Promise<string> {
  const intake: Intake = await house.admit(text);
  const reply = intake.type === 'commanded' ? intake.reply : intake.type;
  return reply.replaceAll(house.workdir, '/work');
}

test('CKPT-03 /rollback puts back what the last turn wrote, after a restart too, and can be taken back', async () => {
  await using house = await openTestHouse({
    script: [
      callsTool('write_file', { path: 'new.txt', content: 'x' }),
      callsTool('patch', { path: 'old.txt', old_string: 'one', new_string: 'two' }),
      says('Done.'),
    ],
  });
  const old = join(house.workdir, 'old.txt');
  await writeFile(old, 'one');
  await house.say('change   both\nfiles');
  await house.restart();

  const list = await command(house, '/rollback list');
  const shown = await command(house, '/rollback show');
  const stillThere = await readFile(old, 'utf8');
  const reply = await command(house, '/rollback');
  const back = await readFile(old, 'utf8');
  const undone = await command(house, '/rollback');

  assert.match(list, /^1 {2}\d+ s ago {2}2 files {2}“change both files”\n/);
  assert.match(list, /What commands in the terminal changed is not covered\.$/);
  assert.match(
    shown,
    /^\/rollback would do this:\n {2}\/work\/old\.txt: would be put back\n {2}\/work\/new\.txt: would be removed/,
  );
  assert.match(reply, /^Back to before the last turn\.\n {2}\/work\/old\.txt: put back\n {2}\/work\/new\.txt: removed/);
  assert.match(reply, /\/rollback takes this back\. What commands in the terminal changed is not covered\.$/);
  assert.deepEqual([stillThere, back], ['two', 'one']);
  assert.match(undone, /put back/);
  assert.equal(await readFile(old, 'utf8'), 'two');
});

test('/rollback names what someone else changed since, and --force puts it back all the same', async () => {
  await using house = await openTestHouse({
    script: [
      callsTool('write_file', { path: 'f', content: 'ours' }),
      callsTool('write_file', { path: 'other', content: 'ours' }),
      says('Done.'),
    ],
  });
  const path = join(house.workdir, 'f');
  await writeFile(path, 'before');
  await house.say('write it');
  await writeFile(path, 'theirs');

  const refused = await command(house, '/rollback');
  const kept = await readFile(path, 'utf8');
  const forced = await command(house, '/rollback --force');

  assert.match(
    refused,
    /^Nothing was touched: .*\n {2}\/work\/other: would be removed .*\n {2}\/work\/f: changed since by someone else\n\/rollback --force/,
  );
  assert.equal(kept, 'theirs');
  assert.match(forced, /\/work\/f: put back/);
  assert.equal(await readFile(path, 'utf8'), 'before');
});

test('/rollback says what it cannot do: nothing kept, no such number, a running turn, words that mean nothing', async () => {
  const gate = Promise.withResolvers<void>();
  await using house = await openTestHouse({
    script: [
      callsTool('terminal', { command: 'echo x > made' }),
      says('Done.'),
      callsTool('write_file', { path: 'f', content: 'x' }),
      delays(gate.promise, says('Done.')),
    ],
  });
  await house.say('run it');

  const nothing = await command(house, '/rollback');
  await house.admit('write it');
  await house.server.whenRequested(4);
  const busy = await command(house, '/rollback');
  gate.resolve();
  await house.whenIdle();

  assert.match(nothing, /^Nothing is kept here: .* What commands in the terminal changed is not covered\.$/);
  assert.equal(busy, 'A turn is running here. /stop it first, then /rollback.');
  assert.equal(await command(house, '/rollback 2'), 'There is only one to go back by: /rollback list.');
  for (const words of ['zero', '0', 'list 3', 'show --force', '1 2'])
    assert.match(await command(house, `/rollback ${words}`), /^Say it like this/, words);
  assert.match(await command(house, '/roll'), /^There is no command \/roll\b/);
  assert.equal(await readFile(join(house.workdir, 'f'), 'utf8'), 'x');
});

test('/rollback refuses a number of a list that has changed, shows the new one, and takes its numbers', async () => {
  const writing = ['a', 'b', 'c'].flatMap((path) => [callsTool('write_file', { path, content: 'x' }), says('Done.')]);
  await using house = await openTestHouse({ script: writing });
  await house.say('write a');
  await house.say('write b');
  await command(house, '/rollback list');
  await house.say('write c');

  const refused = await command(house, '/rollback 2');
  const stayed = await readFile(join(house.workdir, 'b'), 'utf8');
  const done = await command(house, '/rollback 2');
  const again = await command(house, '/rollback show 1');

  assert.match(refused, /^Nothing was touched: the list has changed since you saw it, and 2 may mean/);
  assert.match(refused, /\n1 {2}.*“write c”\n2 {2}.*“write b”\n3 {2}.*“write a”\n/);
  assert.equal(stayed, 'x');
  assert.match(done, /^Back to before the last 2\.\n {2}\/work\/c: removed.*\n {2}\/work\/b: removed/);
  assert.match(again, /^Nothing was touched: .*\n1 {2}.* a rollback\n/);
});

test('/rollback works from a phone, where its list is one', async () => {
  await using house = await openTelegramHouse({
    script: [callsTool('write_file', { path: 'note.txt', content: 'x' }), says('Done.')],
  });
  house.telegram.say('write it');
  // A new chat works in the home of its user, where every write is asked about.
  await house.telegram.whenShown(anna.id, (texts) => texts.some((text) => text.includes('write 1 bytes')));
  house.telegram.say('/approve');
  await house.telegram.whenShown(anna.id, (texts) => texts.includes('Done.'));

  house.telegram.say('/rollback list');
  const shown = await house.telegram.whenShown(anna.id, (texts) => texts.at(-1)?.includes('“write it”') === true);
  house.telegram.say('/rollback');

  assert.match(shown.at(-1) ?? '', /^• 1 \d+ s ago {2}1 file {2}“write it”\n\/rollback N puts files back/);
  await house.telegram.whenShown(anna.id, (texts) =>
    texts.some((text) => text.includes('note.txt: removed (it was not there)')),
  );
});

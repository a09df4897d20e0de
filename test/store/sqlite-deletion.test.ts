import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { startChild } from '../support/store-child.ts';
import { filesWith } from '../support/store-folder-walk.ts';
import { openStoreHouse } from '../support/store-house.ts';
import type { StoreHouse } from '../support/store-house.ts';
import { admit, inChat, settled } from '../support/store-samples.ts';
import * as sqlite from '../support/store-sqlite-opener.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

// Letters only, so that it is one word of the index; the halves find what the index keeps without a shared beginning.
function newSecret(): string {
  return randomBytes(24)
    .toString('hex')
    .replaceAll(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)));
}

for (const way of ['delete', 'transaction', 'prune']) {
  test(`nothing of a session is left in any file after its ${way}, even if the process is killed then`, async () => {
    await using folder = await makeTempFolder();
    const secret = newSecret();
    await using child = startChild('store-deleter.ts', folder.path, secret, way);
    assert.equal(await child.line(), 'deleted');
    await child.kill();

    assert.deepEqual(filesWith(folder.path, [secret, secret.slice(0, 16), secret.slice(-16)]), []);
    if (way !== 'prune') assert.deepEqual(filesWith(folder.path, ['harmless']), ['talaria.db']);
  });
}

test('the check for what is left finds a session that was not deleted', async () => {
  await using folder = await makeTempFolder();
  const secret = newSecret();
  await using child = startChild('store-deleter.ts', folder.path, secret, 'keep');
  await child.line();
  await child.kill();

  const found = filesWith(folder.path, [secret]).map((name) => name.replace(/^backups\/.*/, 'a backup'));

  assert.deepEqual(found.toSorted(), ['a backup', 'talaria.db', 'talaria.db-wal']);
});

/** The same words in every run, and hardly one of them twice. */
function manyWords(start: number): string {
  const words = Array.from({ length: 1000 }, (_, index) => ((start * 1000 + index) * 48_271).toString(36));
  return words.join(' ');
}

async function sizeWith(house: StoreHouse, fill: (index: number) => Promise<void>): Promise<() => number> {
  for (let index = 0; index < 12; index += 1) await fill(index);
  await house.reopen();
  return () => statSync(join(house.place, 'talaria.db')).size;
}

test('pruning gives the space back to the file system, in the search indexes too', async () => {
  await using house = await openStoreHouse(sqlite);
  await using reference = await openStoreHouse(sqlite);
  await reference.store.sessions.at(inChat('also old'));
  const kept = await house.store.sessions.at(inChat('kept'));
  const only = await reference.store.sessions.at(inChat('only'));
  const size = await sizeWith(house, async (index) => {
    const old = await house.store.sessions.at(inChat(`old ${index}`));
    const turn = await admit(house.store, old, manyWords(2 * index));
    await house.store.turns.append(turn, [settled()]);
    await house.store.blobs.put(old.id, `${index}`.repeat(50_000));
    await admit(house.store, kept, manyWords(2 * index + 1));
  });
  const leastSize = await sizeWith(reference, async (index) => {
    await admit(reference.store, only, manyWords(2 * index + 1));
  });
  const before = size();
  for (const { clock } of [house, reference]) clock.advance(1000);
  await admit(house.store, kept, 'still here');
  await admit(reference.store, only, 'still here');

  assert.equal((await reference.store.prune(reference.clock.now())).length, 1);
  assert.equal((await house.store.prune(house.clock.now())).length, 12);

  const sizes = `${before} bytes before, ${size()} after, ${leastSize()} without the old ones`;
  assert.ok(before > 2 * leastSize(), sizes);
  assert.ok(size() < 1.1 * leastSize(), sizes);
  assert.equal(statSync(join(house.place, 'talaria.db-wal')).size, 0);
  assert.equal((await house.store.search.find(manyWords(1).slice(0, 20), 9)).length, 1);
});

test('a deletion that a crash cut off is completed by the next start', async () => {
  await using folder = await makeTempFolder();
  const secret = newSecret();
  await using child = startChild('store-deleter.ts', folder.path, secret, 'cut-off');
  await child.line();
  await child.kill();
  assert.notDeepEqual(filesWith(folder.path, [secret]), []);

  await using next = startChild('store-deleter.ts', folder.path, secret, 'complete');
  await next.line();
  await next.kill();

  assert.deepEqual(filesWith(folder.path, [secret, secret.slice(0, 16), secret.slice(-16)]), []);
});

test('a session that is deleted in the tick in which it was written leaves the index whole', async () => {
  await using house = await openStoreHouse(sqlite);
  const gone = await house.store.sessions.at(inChat('gone'));
  const kept = await house.store.sessions.at(inChat('kept'));
  await admit(house.store, gone, 'walnut before');

  await Promise.all([
    admit(house.store, kept, 'walnut one'),
    admit(house.store, gone, 'walnut two'),
    house.store.sessions.delete(gone.id),
    admit(house.store, kept, 'walnut three'),
  ]);

  const found = (await house.store.search.find('walnut', 9)).map(({ snippet }) => snippet);
  assert.deepEqual(found.toSorted(), ['«walnut» one', '«walnut» three']);
  await house.store.close();
  using database = new DatabaseSync(join(house.place, 'talaria.db'));
  for (const index of ['text_words', 'text_pieces'])
    database.exec(`INSERT INTO ${index} (${index}, rank) VALUES ('integrity-check', 1)`);
  assert.equal(database.prepare('PRAGMA integrity_check').get()?.['integrity_check'], 'ok');
});

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startChild } from '../support/store-child.ts';
import { filesWith } from '../support/store-folder-walk.ts';
import { openStoreHouse } from '../support/store-house.ts';
import { admit, inChat, sequence } from '../support/store-samples.ts';
import * as sqlite from '../support/store-sqlite-opener.ts';

test('a foreign program that holds the database is waited for a moment, then nothing is stored until it is gone', async () => {
  await using house = await openStoreHouse(sqlite);
  const session = await house.store.sessions.at(inChat('one'));
  await using foreign = startChild('store-foreign-program.ts', join(house.place, 'talaria.db'), 'BEGIN IMMEDIATE');
  await foreign.line();

  await assert.rejects(admit(house.store, session, 'refused'), {
    code: 'store-busy',
    message: 'another program holds the database, so nothing was stored',
  });
  await foreign.kill();
  await admit(house.store, session, 'stored');

  assert.deepEqual(sequence(await house.store.turns.after(session.id, 0)), [1]);
});

test('while a foreign program reads, a deletion says that traces are left, and a second one removes them', async () => {
  await using house = await openStoreHouse(sqlite);
  const session = await house.store.sessions.at(inChat('one'));
  await admit(house.store, session, 'secretword');
  const reading = 'BEGIN; SELECT count(*) FROM sessions';
  await using foreign = startChild('store-foreign-program.ts', join(house.place, 'talaria.db'), reading);
  await foreign.line();

  await assert.rejects(house.store.sessions.delete(session.id), {
    code: 'store-failed',
    message: /still holds traces/,
  });
  assert.equal(await house.store.sessions.get(session.id), undefined);
  await foreign.kill();
  await house.store.sessions.delete(session.id);

  await house.store.close();
  assert.deepEqual(filesWith(house.place, ['secretword']), []);
});

import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { silentLog } from '../../src/base/log.ts';
import { askControlSocket } from '../../src/gateway/control-socket.ts';
import { askPeopleDesk, openPeopleDesk } from '../../src/gateway/people-desk.ts';
import { withDefaults } from '../../src/model/config.ts';
import type { UserConfig } from '../../src/model/config-schema.ts';
import { openStoreHouse } from '../support/store-house.ts';
import * as sqlite from '../support/store-sqlite-opener.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const settings = { current: { config: withDefaults({} as UserConfig), user: null } };

test('one that is no request is answered, and the desk stays open', async () => {
  await using folder = await makeTempFolder();
  await using house = await openStoreHouse(sqlite);
  const { store, clock } = house;
  await using _desk = await openPeopleDesk(folder.path, {
    store,
    clock,
    settings,
    web: undefined,
    log: silentLog,
    report: () => undefined,
  });

  const answer = await askControlSocket(join(folder.path, 'gateway.sock'), { type: 'frobnicate' });

  assert.deepEqual(answer, { ok: false, text: 'that is no request' });
  assert.equal((await askPeopleDesk(folder.path, { type: 'people' }))?.ok, true);
});

test('a desk that is opened again takes the place of one that died, and after its end nobody is there', async () => {
  await using folder = await makeTempFolder();
  await using house = await openStoreHouse(sqlite);
  const { store, clock } = house;
  const deps = { store, clock, settings, web: undefined, log: silentLog, report: () => undefined };
  {
    await using _dead = await openPeopleDesk(folder.path, deps);
    await using _living = await openPeopleDesk(folder.path, deps);

    assert.equal((await askPeopleDesk(folder.path, { type: 'people' }))?.ok, true);
  }
  assert.equal(await askPeopleDesk(folder.path, { type: 'people' }), undefined);
});

test('a home on a path too long for a socket is served all the same, and that is said', async () => {
  await using folder = await makeTempFolder();
  const long = join(folder.path, 'x'.repeat(120));
  await mkdir(long);
  await using house = await openStoreHouse(sqlite);
  const { store, clock } = house;
  const reported: string[] = [];

  const desk = await openPeopleDesk(long, {
    store,
    clock,
    settings,
    web: undefined,
    log: silentLog,
    report: (line) => reported.push(line),
  });

  assert.equal(desk, undefined);
  assert.match(reported.join('\n'), /^nobody can be let in while this runs, and no terminal can attach: /);
  assert.equal(await askPeopleDesk(long, { type: 'people' }), undefined);
});

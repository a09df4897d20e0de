import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { localTime } from '../../src/base/local-time.ts';
import { startChild } from '../support/store-child.ts';
import { inChat } from '../support/store-samples.ts';
import { openStore } from '../support/store-sqlite-opener.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

test('a second process is told who runs already and since when, and the first is untouched', async () => {
  await using folder = await makeTempFolder();
  await using holder = startChild('store-holder.ts', folder.path);
  const since = await holder.line();

  await assert.rejects(openStore(folder.path, systemClock), {
    code: 'already-running',
    message: `already running (pid ${holder.pid}, since ${localTime(since)})`,
  });

  // The refused one has closed its descriptors of the lock: the holder must still hold it.
  await assert.rejects(openStore(folder.path, systemClock), { code: 'already-running' });
});

test('when the process that held the store was killed, the next start succeeds at once', async () => {
  await using folder = await makeTempFolder();
  await using holder = startChild('store-holder.ts', folder.path);
  await holder.line();
  await holder.kill();

  const store = await openStore(folder.path, systemClock);

  assert.equal((await store.sessions.list({ limit: 9 })).length, 1);
  await store.close();
});

test('one process cannot open the store twice, and can open it again after closing it', async () => {
  await using folder = await makeTempFolder();
  const store = await openStore(folder.path, systemClock);

  await assert.rejects(openStore(folder.path, systemClock), { code: 'already-running', message: /pid/ });
  await store.sessions.at(inChat('one'));
  await store.close();
  await store.close();

  await (await openStore(folder.path, systemClock)).close();
});

test('the store stays held while its process lives, even if nothing refers to it any more', async () => {
  await using folder = await makeTempFolder();
  await using holder = startChild('store-holder.ts', folder.path, 'forgotten');
  await holder.line();

  await assert.rejects(openStore(folder.path, systemClock), { code: 'already-running' });
});

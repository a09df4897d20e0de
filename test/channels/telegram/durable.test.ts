import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { OutboxId, PersonId } from '../../../src/base/ids.ts';
import { deliverDue } from '../../../src/gateway/delivery.ts';
import type { Channel } from '../../../src/model/channel.ts';
import { openStoreHouse } from '../../support/store-house.ts';
import type { StoreHouse } from '../../support/store-house.ts';
import * as sqlite from '../../support/store-sqlite-opener.ts';
import { anna } from '../../support/telegram-server.ts';
import { dropsAfter, floods } from '../../support/telegram-server-faults.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { next, openTelegram, privateChat } from './bench.ts';
import type { TelegramBench } from './bench.ts';

const signal = new AbortController().signal;
const where = { address: privateChat, person: 'telegram:42' as PersonId, workdir: '/' };

async function enqueue({ store, clock }: StoreHouse, ...replies: readonly string[]): Promise<readonly OutboxId[]> {
  const session = await store.sessions.at(where);
  const notAfter = clock.now() + 3_600_000;
  const ids: OutboxId[] = [];
  for (const text of replies) {
    ids.push(
      await store.outbox.enqueue({ sessionId: session.id, address: privateChat, kind: 'reply', text, notAfter }),
    );
  }
  return ids;
}

async function deliver(house: StoreHouse, channel: Channel): Promise<void> {
  await deliverDue(channel, { outbox: house.store.outbox, clock: house.clock, faults: undefined }, signal);
}

function texts(bench: TelegramBench): readonly string[] {
  return bench.server.shown(anna.id).map(({ text }) => text);
}

test('a message that comes again after a crash is a duplicate to the inbox, and an edit of it is not', async () => {
  await using house = await openStoreHouse(sqlite);
  await using bench = await openTelegram();
  const { store } = house;
  const said = bench.server.say('hello');
  const lives = [bench.channel, bench.restart()].map((life) => life.receive(signal)[Symbol.asyncIterator]());
  const results: string[] = [];

  for (const life of lives) {
    const inbound = await next(life);
    if (inbound.type === 'message') results.push(await store.inbox.note(inbound.key));
  }
  bench.server.edit(said, 'hello there', 1_767_225_700);
  const edit = await next(lives[1] as (typeof lives)[number]);
  if (edit.type === 'message') results.push(await store.inbox.note(edit.key));

  assert.deepEqual(results, ['new', 'duplicate', 'new']);
});

test('a reply that was held up goes out once, as soon as Telegram allows it', async () => {
  await using house = await openStoreHouse(sqlite);
  await using bench = await openTelegram();
  await enqueue(house, 'hello');
  bench.server.fail('sendMessage', floods(5));

  await deliver(house, bench.channel);
  house.clock.advance(4999);
  await deliver(house, bench.channel);
  const early = bench.server.callsOf('sendMessage').length;
  house.clock.advance(1);
  await deliver(house, bench.channel);

  assert.equal(early, 1);
  assert.deepEqual(texts(bench), ['hello']);
});

test('a reply that nobody can tell about is sent once more, marked, and never a third time', async () => {
  await using house = await openStoreHouse(sqlite);
  await using bench = await openTelegram();
  const [id] = await enqueue(house, 'hello');
  bench.server.fail('sendMessage', dropsAfter, dropsAfter);

  for (let pass = 0; pass < 4; pass += 1) await deliver(house, bench.channel);

  assert.deepEqual(texts(bench), ['hello', '(sent again: you may have seen this)\nhello']);
  assert.equal((await house.store.outbox.get(id as OutboxId))?.state, 'failed');
});

test('a reply that was being sent when the program died is sent once more, marked', async () => {
  await using house = await openStoreHouse(sqlite);
  await using bench = await openTelegram();
  const [id] = await enqueue(house, 'hello');
  await house.store.outbox.sending(id as OutboxId);
  await bench.send('hello');

  await house.reopen();
  await deliver(house, bench.restart());

  assert.deepEqual(texts(bench), ['hello', '(sent again: you may have seen this)\nhello']);
  assert.equal((await house.store.outbox.get(id as OutboxId))?.state, 'sent');
});

test('a reply to someone who blocked the bot has failed, with the reason, and holds up nobody', async () => {
  await using house = await openStoreHouse(sqlite);
  await using bench = await openTelegram();
  bench.server.chats.close(anna.id, 403, 'Forbidden: bot was blocked by the user');
  const ids = await enqueue(house, 'one', 'two');

  await deliver(house, bench.channel);

  const states = await Promise.all(ids.map(async (id) => (await house.store.outbox.get(id))?.state));
  assert.deepEqual(states, ['failed', 'failed']);
});

test('a file that was queued goes out after a restart, once', async () => {
  await using folder = await makeTempFolder();
  const path = join(folder.path, 'notes.txt');
  await writeFile(path, 'milk');
  await using house = await openStoreHouse(sqlite);
  await using bench = await openTelegram();
  const { id: sessionId } = await house.store.sessions.at(where);
  const files = [{ path, name: 'notes.txt', kind: 'file' as const }];
  const notAfter = house.clock.now() + 3_600_000;
  await house.store.outbox.enqueue({ sessionId, address: privateChat, kind: 'reply', text: 'Here.', files, notAfter });

  await house.reopen();
  for (let pass = 0; pass < 2; pass += 1) await deliver(house, bench.restart());

  const shown = bench.server.shown(anna.id).map(({ text, file }) => file?.name ?? text);
  assert.deepEqual(shown, ['Here.', 'notes.txt']);
});

test('an answer of which a part was sent when the program died begins anew, marked', async () => {
  await using house = await openStoreHouse(sqlite);
  await using bench = await openTelegram();
  const long = `${'word '.repeat(800)}end`;
  await enqueue(house, long);
  bench.server.fail('sendMessage', { type: 'waits', gate: Promise.resolve() }, floods(1));
  await deliver(house, bench.channel);
  const before = texts(bench).length;

  await house.reopen();
  house.clock.advance(10_000);
  await deliver(house, bench.restart());

  const marked = texts(bench).map((text) => text.startsWith('(sent again: you may have seen this)\n'));
  assert.deepEqual([before, marked], [1, [false, true, false]]);
});

test('an answer that may have taken the place of its preview when the program died comes again, marked', async () => {
  await using house = await openStoreHouse(sqlite);
  await using bench = await openTelegram();
  const reply = 'This is long enough to be shown while it is written.';
  await bench.channel.preview({ type: 'working', address: privateChat, text: reply, status: '' }, signal);
  await enqueue(house, reply);
  bench.server.fail('editMessageText', dropsAfter);
  await deliver(house, bench.channel);

  await house.reopen();
  house.clock.advance(10_000);
  await deliver(house, bench.restart());

  assert.deepEqual(texts(bench), [reply, `(sent again: you may have seen this)\n${reply}`]);
});

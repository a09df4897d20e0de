import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Document, PhotoSize } from 'grammy/types';
import type { AttachmentPolicy, IncomingFile } from '../../../src/channels/telegram/fetch-attachments.ts';
import { anna, ben, botToken } from '../../support/telegram-server.ts';
import { refuses } from '../../support/telegram-server-faults.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { next, nextText, openTelegram, privateChat } from './bench.ts';

function document(name: string, size = 11): Document {
  return { file_id: 'id-1', file_unique_id: 'unique-1', file_name: name, mime_type: 'text/plain', file_size: size };
}

/** Fetches what Anna sends, and nobody else, and keeps it in a folder. */
function keepIn(folder: string, kept: IncomingFile[] = []): AttachmentPolicy {
  return {
    accepts: (person) => Promise.resolve(person === `telegram:${anna.id}`),
    async save(file) {
      kept.push(file);
      const path = join(folder, file.name);
      await writeFile(path, file.read());
      return path;
    },
  };
}

test('a file that someone sends is kept, byte for byte, and the model is told where', async () => {
  await using folder = await makeTempFolder();
  const kept: IncomingFile[] = [];
  await using bench = await openTelegram({ attachments: keepIn(folder.path, kept) });
  bench.server.files.set('id-1', Buffer.from('hello\u0000world'));
  bench.server.post({ document: document('notes.txt'), caption: 'read this' });

  const text = await nextText(bench.receive());

  const path = join(folder.path, 'unique-1-notes.txt');
  assert.equal(text, `[file: "notes.txt", text/plain, 1 KB]\nread this\n[the file is kept in ${path}]`);
  assert.equal(await readFile(path, 'utf8'), 'hello\u0000world');
  assert.deepEqual({ ...kept[0], read: undefined }, {
    address: privateChat,
    person: 'telegram:42',
    workdir: '/',
    name: 'unique-1-notes.txt',
    mediaType: 'text/plain',
    size: 11,
    read: undefined,
  } as unknown);
});

test('nothing is fetched for someone whose files are not wanted', async () => {
  await using folder = await makeTempFolder();
  await using bench = await openTelegram({ attachments: keepIn(folder.path) });
  bench.server.post({ document: document('notes.txt'), from: ben });

  assert.equal(await nextText(bench.receive()), '[file: "notes.txt", text/plain, 1 KB]');
  assert.deepEqual(bench.server.callsOf('getFile'), []);
});

function cannotTell(): Promise<boolean> {
  return Promise.reject(new Error('the disk cannot be read'));
}

test('a message arrives, and so do those behind it, where nobody can say whether its file is wanted', async () => {
  await using folder = await makeTempFolder();
  await using bench = await openTelegram({ attachments: { ...keepIn(folder.path), accepts: cannotTell } });
  bench.server.post({ document: document('notes.txt') });
  bench.server.say('still there?');
  const received = bench.receive();

  const texts = [await nextText(received), await nextText(received)];

  const why = '[the file was not fetched: the disk cannot be read]';
  assert.deepEqual(texts, [`[file: "notes.txt", text/plain, 1 KB]\n${why}`, 'still there?']);
  assert.deepEqual(bench.server.callsOf('getFile'), []);
});

test('the name of a file can neither leave the folder nor hide in it', async () => {
  const names = ['../../etc/passwd', '.bashrc', 'a\u0000b/c\\d.txt', '-rf', `${'x'.repeat(300)}.pdf`];
  await using folder = await makeTempFolder();
  const kept: IncomingFile[] = [];
  await using bench = await openTelegram({ attachments: keepIn(folder.path, kept) });
  bench.server.files.set('id-1', Buffer.from('x'));
  for (const name of names) bench.server.post({ document: document(name) });
  const received = bench.receive();

  for (const _ of names) await nextText(received);

  assert.deepEqual(
    kept.map(({ name }) => name),
    [
      'unique-1-__.._etc_passwd',
      'unique-1-_bashrc',
      'unique-1-a_b_c_d.txt',
      'unique-1-_rf',
      `unique-1-${'x'.repeat(76)}.pdf`,
    ],
  );
});

function photo(id: string, width: number): PhotoSize {
  return { file_id: id, file_unique_id: id, width, height: width };
}

test('a photo is kept in its largest form, and a voice note as what it is', async () => {
  await using folder = await makeTempFolder();
  await using bench = await openTelegram({ attachments: keepIn(folder.path) });
  bench.server.files.set('large', Buffer.from('x'));
  bench.server.post({ photo: [photo('small', 90), photo('large', 900)] });
  bench.server.post({ voice: { file_id: 'large', file_unique_id: 'v', duration: 3 } });
  const received = bench.receive();

  const texts = [await nextText(received), await nextText(received)];

  assert.deepEqual(texts, [
    `[photo: 900×900]\n[the photo is kept in ${join(folder.path, 'large-photo.jpg')}]`,
    `[voice note: 3 s]\n[the voice note is kept in ${join(folder.path, 'v-voice.ogg')}]`,
  ]);
});

test('a picture is shown to the model, as a photo or as a file, and kept as well', async () => {
  await using folder = await makeTempFolder();
  await using bench = await openTelegram({ attachments: keepIn(folder.path) });
  const png = Buffer.from('\u0089PNG\r\n\u001A\n and so on', 'latin1');
  for (const id of ['a', 'b']) bench.server.files.set(id, png);
  bench.server.post({ photo: [photo('a', 900)], caption: 'look' });
  const picture = { file_id: 'b', file_unique_id: 'b', file_name: 'map.png', mime_type: 'image/png' };
  bench.server.post({ document: picture });
  const received = bench.receive();

  const inbounds = [await next(received), await next(received)];

  assert.deepEqual(
    inbounds.map((inbound) => inbound.type === 'message' && inbound.images),
    [[{ bytes: png, name: 'a-photo.jpg' }], [{ bytes: png, name: 'b-map.png' }]],
  );
  assert.deepEqual(await readFile(join(folder.path, 'b-map.png')), png);
  assert.equal(bench.server.callsOf('getFile').length, 2);
});

test('what only says that it is a picture is a file like any other', async () => {
  await using folder = await makeTempFolder();
  await using bench = await openTelegram({ attachments: keepIn(folder.path) });
  bench.server.files.set('a', Buffer.from('no picture'));
  bench.server.post({ document: { file_id: 'a', file_unique_id: 'a', file_name: 'a.png', mime_type: 'image/png' } });

  const inbound = await next(bench.receive());

  assert.equal(inbound.type === 'message' && inbound.images, undefined);
  assert.equal(await readFile(join(folder.path, 'a-a.png'), 'utf8'), 'no picture');
});

function everyone(): Promise<boolean> {
  return Promise.resolve(true);
}

test('a picture needs nobody who keeps files', async () => {
  await using bench = await openTelegram({ attachments: { accepts: everyone } });
  bench.server.files.set('a', Buffer.from('\u00FF\u00D8\u00FF', 'latin1'));
  bench.server.post({ photo: [photo('a', 900)] });
  bench.server.post({ document: document('notes.txt') });
  const received = bench.receive();

  const [picture, file] = [await next(received), await nextText(received)];

  assert.equal(picture.type === 'message' && picture.images?.length, 1);
  assert.equal(file, '[file: "notes.txt", text/plain, 1 KB]');
});

test('a file beyond what Telegram hands out is not asked for', async () => {
  await using folder = await makeTempFolder();
  await using bench = await openTelegram({ attachments: keepIn(folder.path) });
  bench.server.post({ document: document('film.mkv', 30_000_000) });

  assert.match(await nextText(bench.receive()), /was not fetched: Telegram hands bots 20 MB at most/);
  assert.deepEqual(bench.server.callsOf('getFile'), []);
});

test('a file that grows beyond what was said is cut off', async () => {
  await using folder = await makeTempFolder();
  await using bench = await openTelegram({ attachments: keepIn(folder.path) });
  bench.server.files.set('id-1', Buffer.alloc(20_000_001));
  bench.server.post({ document: document('notes.txt') });

  assert.match(await nextText(bench.receive()), /was not fetched: it is larger than Telegram said/);
});

test('a file that cannot be had does not keep the message from arriving, and its token out of sight', async () => {
  await using folder = await makeTempFolder();
  await using bench = await openTelegram({ attachments: keepIn(folder.path) });
  bench.server.fail('getFile', refuses(400, `Bad Request: no /file/bot${botToken}/x`));
  bench.server.post({ document: document('notes.txt'), caption: 'read this' });

  const text = await nextText(bench.receive());

  assert.match(text, /read this\n\[the file was not fetched: Bad Request: no/);
  assert.ok(!text.includes(botToken) && !bench.log.join('\n').includes(botToken));
});

test('a stop does not wait for a file that is being fetched, and comes once more in its turn', async () => {
  await using folder = await makeTempFolder();
  await using bench = await openTelegram({ attachments: keepIn(folder.path) });
  const gate = Promise.withResolvers<void>();
  bench.server.files.set('id-1', Buffer.from('x'));
  bench.server.fail('getFile', { type: 'waits', gate: gate.promise });
  bench.server.post({ document: document('notes.txt') });
  bench.server.say('hello');
  bench.server.say('/stop');
  const received = bench.receive();

  const first = nextText(received);
  await bench.whenAsleepFor(1000);
  bench.clock.advance(1000);
  const texts = [await first];
  const second = nextText(received);
  gate.resolve();
  texts.push(await second, await nextText(received), await nextText(received));

  assert.equal(texts[0], '/stop');
  assert.match(texts[1] ?? '', /kept in/);
  assert.deepEqual(texts.slice(2), ['hello', '/stop']);
});

import assert from 'node:assert/strict';
import { rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { OutboundFile } from '../../../src/model/channel.ts';
import { newId } from '../../../src/base/ids.ts';
import { anna } from '../../support/telegram-server.ts';
import { dropsAfter, floods, refuses } from '../../support/telegram-server-faults.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import type { TempFolder } from '../../support/temp-folder.ts';
import { openTelegram, privateChat } from './bench.ts';
import type { TelegramBench } from './bench.ts';

const png = Buffer.from('\u0089PNG\r\n\u001A\n and so on', 'latin1');
const mark = '(sent again: you may have seen this)';

async function fileIn(folder: TempFolder, name: string, content: string | Buffer): Promise<OutboundFile> {
  const path = join(folder.path, name);
  await writeFile(path, content);
  return { path, name, kind: name.endsWith('.png') ? 'picture' : 'file' };
}

/** What a person sees, in a line each. */
function seen({ server }: TelegramBench): readonly string[] {
  return server
    .shown(anna.id)
    .map(({ text, file }) => [file && `${file.kind} ${file.name} (${file.bytes.length})`, text.trim()])
    .map((parts) => parts.filter((part) => part !== undefined && part !== '').join(' '));
}

test('files follow the text, in their order: pictures to be seen, the rest as documents', async () => {
  await using folder = await makeTempFolder();
  await using bench = await openTelegram();
  const files = [await fileIn(folder, 'map.png', png), await fileIn(folder, 'notes.txt', 'milk')];

  const receipt = await bench.send('Here they are.', { files });

  assert.equal(receipt.type, 'sent');
  assert.deepEqual(seen(bench), ['Here they are.', `photo map.png (${png.length})`, 'document notes.txt (4)']);
});

test('a file needs no text', async () => {
  await using folder = await makeTempFolder();
  await using bench = await openTelegram();

  await bench.send('', { files: [await fileIn(folder, 'notes.txt', 'milk')] });

  assert.deepEqual(seen(bench), ['document notes.txt (4)']);
});

test('a text that names a file sends nothing but itself', async () => {
  await using folder = await makeTempFolder();
  await using bench = await openTelegram();
  const { path } = await fileIn(folder, 'notes.txt', 'milk');

  await bench.send(`It is in ${path}\nMEDIA:${path}`);

  assert.equal(bench.server.shown(anna.id).length, 1);
  assert.deepEqual(bench.server.callsOf('sendDocument'), []);
});

test('a picture that Telegram will not show is sent as a file', async () => {
  await using folder = await makeTempFolder();
  await using bench = await openTelegram();

  await bench.send('', { files: [await fileIn(folder, 'odd.png', 'no picture')] });

  assert.deepEqual(seen(bench), ['document odd.png (10)']);
});

test('a picture of more than 10 MB goes as a file at once', async () => {
  await using folder = await makeTempFolder();
  await using bench = await openTelegram();
  const file = await fileIn(folder, 'large.png', png);
  await truncate(file.path, 11_000_000);

  await bench.send('', { files: [file] });

  assert.deepEqual(seen(bench), ['document large.png (11000000)']);
  assert.deepEqual(bench.server.callsOf('sendPhoto'), []);
});

test('what cannot be sent is said in its place, and the rest is sent', async () => {
  await using folder = await makeTempFolder();
  await using bench = await openTelegram();
  const gone = await fileIn(folder, 'gone.txt', 'x');
  await rm(gone.path);
  const large = await fileIn(folder, 'film.mkv', 'x');
  await truncate(large.path, 60 * 1024 * 1024);

  const receipt = await bench.send('Here.', { files: [gone, large, await fileIn(folder, 'notes.txt', 'milk')] });

  assert.equal(receipt.type, 'sent');
  assert.deepEqual(seen(bench), [
    'Here.',
    '(gone.txt was not sent: it is not there any more)',
    '(film.mkv was not sent: it has 60 MB, and Telegram takes 50 MB from a bot)',
    'document notes.txt (4)',
  ]);
});

test('a message that is held up goes on with the file that is missing, and repeats nothing', async () => {
  await using folder = await makeTempFolder();
  await using bench = await openTelegram();
  const files = [await fileIn(folder, 'a.txt', 'a'), await fileIn(folder, 'b.txt', 'b')];
  const id = newId('outbox', 0);
  bench.server.fail('sendDocument', { type: 'waits', gate: Promise.resolve() }, floods(3));

  const receipts = [await bench.send('Here.', { id, files }), await bench.send('Here.', { id, files })];

  assert.deepEqual(
    receipts.map(({ type }) => type),
    ['retry', 'sent'],
  );
  assert.deepEqual(seen(bench), ['Here.', 'document a.txt (1)', 'document b.txt (1)']);
});

test('a file that nobody can tell about is sent once more, marked', async () => {
  await using folder = await makeTempFolder();
  await using bench = await openTelegram();
  const files = [await fileIn(folder, 'a.txt', 'a')];
  const id = newId('outbox', 0);
  bench.server.fail('sendDocument', dropsAfter);

  const first = await bench.send('Here.', { id, files });
  await bench.send('Here.', { id, files, copy: 'repeat' });

  assert.equal(first.type, 'unknown');
  assert.deepEqual(seen(bench), ['Here.', 'document a.txt (1)', `document a.txt (1) ${mark}`]);
});

test('a file for a topic that is gone is sent to the chat', async () => {
  await using folder = await makeTempFolder();
  await using bench = await openTelegram();
  bench.server.fail('sendDocument', refuses(400, 'Bad Request: message thread not found'));
  const address = { ...privateChat, thread: '7' };

  await bench.send('', { address, files: [await fileIn(folder, 'a.txt', 'a')] });

  assert.deepEqual(seen(bench), ['document a.txt (1)']);
});

test('a preview that was longer than the answer goes, and no file takes its place', async () => {
  await using folder = await makeTempFolder();
  await using bench = await openTelegram();
  const signal = new AbortController().signal;
  await bench.channel.preview({ type: 'working', address: privateChat, text: '', status: 'reading' }, signal);

  await bench.send('', { files: [await fileIn(folder, 'a.txt', 'a')] });
  await bench.server.whenShown(anna.id, (shown) => shown.length === 1);

  assert.deepEqual(seen(bench), ['document a.txt (1)']);
});

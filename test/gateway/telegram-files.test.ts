import assert from 'node:assert/strict';
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { isJsonObject } from '../../src/base/json.ts';
import { callsTool, says } from '../support/model-script.ts';
import type { SeenRequest } from '../support/model-script.ts';
import { startSpeechServer } from '../support/speech-server.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import type { TelegramHouse } from '../support/telegram-house.ts';
import { anna, ben } from '../support/telegram-server.ts';

const notes = { file_id: 'f', file_unique_id: 'u1', file_name: 'notes.txt', mime_type: 'text/plain', file_size: 12 };
const voice = { file_id: 'v', file_unique_id: 'u2', duration: 3, mime_type: 'audio/ogg', file_size: 5 };

/** What the model read last. */
function lastSaid(request: SeenRequest | undefined): string {
  const messages = request?.json?.['messages'];
  const last = Array.isArray(messages) ? messages.at(-1) : undefined;
  return isJsonObject(last) && typeof last['content'] === 'string' ? last['content'] : '';
}

async function keptFiles({ home }: TelegramHouse): Promise<readonly string[]> {
  const found = await readdir(join(home, 'files'), { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

test('a document is kept for its session, and the model can read it where it is told that it is', async () => {
  await using house = await openTelegramHouse({
    script: (request, index) => {
      if (index > 0) return says('It says: the milk is sour.');
      const path = /kept in (.*)\]/.exec(lastSaid(request))?.[1] ?? '';
      return callsTool('read_file', { path });
    },
  });
  const { telegram } = house;
  telegram.files.set('f', Buffer.from('milk is sour'));

  telegram.post({ document: notes, caption: 'what does it say?' });
  await telegram.whenShown(anna.id, (texts) => texts.at(-1)?.startsWith('It says') === true);

  const [session] = await house.app.store.sessions.list({ limit: 1 });
  const path = join(house.home, 'files', session?.id ?? '', 'u1-notes.txt');
  assert.equal(
    lastSaid(house.model.requests[0]),
    `[file: "notes.txt", text/plain, 1 KB]\nwhat does it say?\n[the file is kept in ${path}]`,
  );
  assert.match(lastSaid(house.model.requests[1]), /1\|milk is sour/);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
});

test('a file that is too large gets a line that says so, and the message is answered', async () => {
  await using house = await openTelegramHouse({ script: () => says('I see.') });

  house.telegram.post({ document: { ...notes, file_size: 21_000_000 }, caption: 'look' });
  await house.telegram.whenShown(anna.id, (texts) => texts.includes('I see.'));

  assert.match(
    lastSaid(house.model.requests[0]),
    /look\n\[the file was not fetched: Telegram hands bots 20 MB at most\]$/,
  );
  assert.deepEqual(await keptFiles(house), []);
});

test('what strangers send is neither fetched nor kept', async () => {
  await using house = await openTelegramHouse({ script: () => says('Hello.') });
  house.telegram.files.set('f', Buffer.from('milk is sour'));

  house.telegram.post({ document: notes, from: ben });
  await house.telegram.whenShown(ben.id, (texts) => texts.length > 0);

  assert.deepEqual(house.telegram.callsOf('getFile'), []);
  assert.deepEqual(await keptFiles(house), []);
});

test('the files of a session outlast a new one at the same place, and go when the session is deleted', async () => {
  await using house = await openTelegramHouse({ script: () => says('I see.') });
  const { telegram } = house;
  telegram.files.set('f', Buffer.from('milk is sour'));
  telegram.post({ document: notes });
  await telegram.whenShown(anna.id, (texts) => texts.includes('I see.'));
  await beginAnew(house);
  const [path = ''] = await keptFiles(house);
  assert.equal(await readFile(path, 'utf8'), 'milk is sour');
  const { store } = house.app;
  const begun = (await store.sessions.list({ limit: 9, stage: 'begun' })).map(({ id }) => id);

  for (const id of begun) {
    await store.sessions.delete(id);
    await house.app.endTask(id);
  }

  assert.equal(begun.length, 1);
  assert.deepEqual(await keptFiles(house), []);
});

/** The turn may still be ending when its answer is there already. */
async function beginAnew({ telegram }: TelegramHouse): Promise<void> {
  for (let replies = 2; ; replies += 1) {
    telegram.say('/new');
    const texts = await telegram.whenShown(anna.id, ({ length }) => length >= replies);
    if (texts.at(-1)?.startsWith('A new session') === true) return;
  }
}

test('a voice note is kept as a file, and where nobody transcribes the model is told no more', async () => {
  await using house = await openTelegramHouse({ script: () => says('I cannot hear.') });
  house.telegram.files.set('v', Buffer.from('sound'));

  house.telegram.post({ voice });
  await house.telegram.whenShown(anna.id, (texts) => texts.length > 0);

  const [path = ''] = await keptFiles(house);
  assert.equal(lastSaid(house.model.requests[0]), `[voice note: 3 s, 1 KB]\n[the voice note is kept in ${path}]`);
  assert.equal(await readFile(path, 'utf8'), 'sound');
});

test('a voice note is transcribed where a speech endpoint is configured, and the text is marked as such', async () => {
  await using speech = await startSpeechServer(200, JSON.stringify({ text: ' Buy milk. ' }));
  await using house = await openTelegramHouse({
    script: () => says('Noted.'),
    settings: { speech: { base_url: speech.baseUrl, model: 'whisper-large', key_env: 'SPEECH_KEY' } },
    env: { SPEECH_KEY: 'key-of-the-ear' },
  });
  house.telegram.files.set('v', Buffer.from('sound'));

  house.telegram.post({ voice });
  await house.telegram.whenShown(anna.id, (texts) => texts.length > 0);

  assert.match(
    lastSaid(house.model.requests[0]),
    /is kept in .*\]\n\[its transcript, made by a machine:\]\nBuy milk\.$/,
  );
  assert.deepEqual(speech.heard, [
    {
      path: '/v1/audio/transcriptions',
      authorization: 'Bearer key-of-the-ear',
      model: 'whisper-large',
      name: 'u2-voice.ogg',
      mediaType: 'audio/ogg',
      bytes: Buffer.from('sound'),
    },
  ]);
});

test('a voice note that cannot be transcribed says why, and the file is still there', async () => {
  await using speech = await startSpeechServer(503, '{"error":"busy"}');
  await using house = await openTelegramHouse({
    script: () => says('I cannot hear.'),
    settings: { speech: { base_url: speech.baseUrl } },
  });
  house.telegram.files.set('v', Buffer.from('sound'));

  house.telegram.post({ voice });
  await house.telegram.whenShown(anna.id, (texts) => texts.length > 0);

  assert.match(lastSaid(house.model.requests[0]), /\[it could not be transcribed: the speech server answered 503\]$/);
  assert.equal((await keptFiles(house)).length, 1);
});

test('a speech endpoint without its key is not asked, and the reason names the variable', async () => {
  await using speech = await startSpeechServer(200, '{"text":"x"}');
  await using house = await openTelegramHouse({
    script: () => says('I cannot hear.'),
    settings: { speech: { base_url: speech.baseUrl, key_env: 'SPEECH_KEY' } },
  });
  house.telegram.files.set('v', Buffer.from('sound'));

  house.telegram.post({ voice });
  await house.telegram.whenShown(anna.id, (texts) => texts.length > 0);

  assert.match(lastSaid(house.model.requests[0]), /could not be transcribed: there is no key in SPEECH_KEY\]$/);
  assert.deepEqual(speech.heard, []);
});

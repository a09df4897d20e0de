import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Address } from '../../../src/model/session.ts';
import { anna } from '../../support/telegram-server.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { openTelegram, privateChat } from './bench.ts';
import type { TelegramBench } from './bench.ts';

const signal = new AbortController().signal;
const group = { id: -1001, type: 'supergroup', title: 'Team' } as const;
const topic: Address = { ...privateChat, chat: String(group.id), thread: '7' };
const opening = 'The answer to your question is';

/** What the bot shows in a chat, and what each of it is a reply to. */
function repliesIn({ server }: TelegramBench, chat: number = anna.id): readonly unknown[] {
  return server.shown(chat).map(({ text, file, repliesTo }) => [file?.name ?? text.slice(0, 30), repliesTo]);
}

test('of a long answer the first message is a reply to what it answers, and the rest stands below it', async () => {
  await using bench = await openTelegram();
  const { message_id: id } = bench.server.say('tell me all');

  await bench.send(`First ${'word '.repeat(900)}\n\nSecond.`, { replyTo: String(id) });
  await bench.send('Run it?', { kind: 'question', digest: 'digest', replyTo: String(id) });
  await bench.send('And that.');

  const marks = bench.server.shown(anna.id).map(({ repliesTo }) => repliesTo);
  assert.deepEqual(marks, [id, undefined, id, undefined]);
});

test('what is shown of a turn is a reply from the start, and so is the answer that takes its place', async () => {
  await using bench = await openTelegram();
  const { message_id: id } = bench.server.say('and?');

  const preview = { type: 'working', address: privateChat, text: opening, status: '', replyTo: String(id) } as const;
  await bench.channel.preview(preview, signal);
  const before = repliesIn(bench);
  await bench.send(`${opening}.`, { replyTo: String(id) });

  assert.deepEqual(before, [[`${opening} ▉`.slice(0, 30), id]]);
  assert.deepEqual(repliesIn(bench), [[`${opening}.`.slice(0, 30), id]]);
  assert.equal(bench.server.callsOf('sendMessage').length, 1);
});

test('a message that was deleted meanwhile is answered all the same, by words and by files, also where its topic is gone', async () => {
  await using bench = await openTelegram();
  await using folder = await makeTempFolder();
  const path = join(folder.path, 'a.txt');
  await writeFile(path, 'a');
  const { server } = bench;
  const said = server.say('hello');
  const inTopic = server.say('hello', { chat: group, message_thread_id: 8, is_topic_message: true });
  server.chats.open(group.id, 7);
  server.chats.deleteSaid(anna.id, said.message_id);
  server.chats.deleteSaid(group.id, inTopic.message_id);
  const files = [{ path, name: 'a.txt', kind: 'file' }] as const;

  const here = await bench.send('Here.', { replyTo: String(said.message_id) });
  const file = await bench.send('', { replyTo: String(said.message_id), files });
  const replyTo = String(inTopic.message_id);
  const moved = await bench.send('Moved.', { address: topic, replyTo });
  const movedFile = await bench.send('', { address: topic, replyTo, files });
  const gone = await bench.send('Gone.', { address: { ...topic, thread: '9' }, replyTo });

  assert.deepEqual(new Set([here, file, moved, movedFile, gone].map(({ type }) => type)), new Set(['sent']));
  const marks = server.callsOf('sendMessage').map((parameters) => parameters['reply_parameters']);
  assert.deepEqual(marks[0], { message_id: said.message_id, allow_sending_without_reply: true });
  assert.notEqual(marks[1], undefined);
  assert.deepEqual(repliesIn(bench), [
    ['Here.', undefined],
    ['a.txt', undefined],
  ]);
  assert.deepEqual(repliesIn(bench, group.id), [
    ['Moved.', undefined],
    ['a.txt', undefined],
    ['Gone.', undefined],
  ]);
});

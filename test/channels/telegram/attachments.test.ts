import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from 'grammy/types';
import { ben } from '../../support/telegram-server.ts';
import { nextText, openTelegram } from './bench.ts';

test('what is not text is told in words, with its caption', async () => {
  await using bench = await openTelegram();
  const file = { file_id: 'f', file_unique_id: 'u' };
  const posts: readonly Partial<Message>[] = [
    {
      photo: [
        { ...file, width: 90, height: 60 },
        { ...file, width: 1280, height: 960, file_size: 123_456 },
      ],
      caption: 'look',
    },
    { document: { ...file, file_name: 'a "b"\n.pdf', mime_type: 'application/pdf', file_size: 2_500_000 } },
    { voice: { ...file, duration: 7, file_size: 9000 } },
    { location: { latitude: 52.5, longitude: 13.4, horizontal_accuracy: 1 } },
  ];
  for (const post of posts) bench.server.post(post);
  const received = bench.receive();

  const texts = [];
  for (const _ of posts) texts.push(await nextText(received));

  assert.deepEqual(texts, [
    '[photo: 1280×960, 121 KB]\nlook',
    String.raw`[file: "a \"b\"\n.pdf", application/pdf, 2.39 MB]`,
    '[voice note: 7 s, 9 KB]',
    '[location: 52.5, 13.4]',
  ]);
});

test('whatever a person can send is told in words, so that it is answered', async () => {
  await using bench = await openTelegram();
  const chat = { id: -5, type: 'channel', title: 'News' } as const;
  const location = { latitude: 52.5, longitude: 13.4 };
  const posts = [
    [{ dice: { emoji: '🎲', value: 4 } }, '[dice: 🎲, 4]'],
    [
      { poll: { type: 'regular', question: 'Tea?', options: [{ text: 'Yes' }, { text: 'N\no' }] } },
      String.raw`[poll: "Tea?", "Yes", "N\no"]`,
    ],
    [{ poll: { type: 'quiz', question: '1+1', options: [{ text: '2' }] } }, '[quiz: "1+1", "2"]'],
    [
      { venue: { location, title: 'Café', address: 'Main St 1' }, location },
      '[venue: "Café", "Main St 1"]\n[location: 52.5, 13.4]',
    ],
    [{ checklist: { title: 'Shopping', tasks: [{ id: 1, text: 'milk' }] } }, '[checklist: "Shopping", "milk"]'],
    [{ game: { title: 'Chess' } }, '[game: "Chess"]'],
    [{ story: { chat, id: 3 } }, '[story: "News"]'],
    [{ invoice: { title: 'A book' } }, '[invoice: "A book"]'],
    [{ paid_media: { star_count: 5, paid_media: [{ type: 'preview' }] } }, '[paid media: 5 stars]'],
    [{ giveaway: { chats: [], winner_count: 1 } }, '[giveaway]'],
    [{ giveaway_winners: { chat, winner_count: 1 } }, '[giveaway]'],
    [{ rich_message: { blocks: [] } }, '[formatted message: its words cannot be read here]'],
    [{ passport_data: { data: [] } }, '[documents for Telegram Passport: they cannot be read here]'],
  ] as const;
  for (const [post] of posts) bench.server.post(post as unknown as Partial<Message>);
  const received = bench.receive();

  const texts = [];
  for (const _ of posts) texts.push(await nextText(received));

  assert.deepEqual(
    texts,
    posts.map(([, text]) => text),
  );
});

test('what has nothing to read in it is passed over', async () => {
  await using bench = await openTelegram();
  bench.server.post({ new_chat_members: [ben] });
  bench.server.post({ new_chat_title: 'Team' });
  bench.server.say('hello');

  assert.equal(await nextText(bench.receive()), 'hello');
});

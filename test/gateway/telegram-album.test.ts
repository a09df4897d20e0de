import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from 'grammy/types';
import { says } from '../support/model-script.ts';
import { makePng } from '../support/pictures.ts';
import { openTelegramHouse } from '../support/telegram-house.ts';
import type { TelegramHouse } from '../support/telegram-house.ts';
import { anna } from '../support/telegram-server.ts';
import type { MessageFields } from '../support/telegram-server.ts';

const counting = (_: unknown, index: number): ReturnType<typeof says> => says(`Answer ${index + 1}.`);

/** The photos of one album, not sent yet: the first has the words. */
function makeAlbum({ telegram }: TelegramHouse, caption: string, fields: MessageFields = {}): readonly Message[] {
  return [1, 2, 3].map((shade) => {
    telegram.files.set(`photo${shade}`, makePng(shade));
    return telegram.make({
      photo: [{ file_id: `photo${shade}`, file_unique_id: `u${shade}`, width: shade, height: 4 }],
      media_group_id: '1234',
      ...(shade === 1 && { caption }),
      ...fields,
    });
  });
}

function bring({ telegram }: TelegramHouse, ...messages: readonly (Message | undefined)[]): void {
  for (const message of messages) if (message) telegram.push({ message } as Parameters<typeof telegram.push>[0]);
}

/** The widths of the pictures that each turn was begun with, and the words that came with them. */
async function turnsOf({ app }: TelegramHouse): Promise<readonly string[]> {
  const [session] = await app.store.sessions.list({ limit: 1 });
  const log = session ? await app.store.turns.after(session.id, 0) : [];
  return log.flatMap(({ entry }) => {
    if (entry.type !== 'turn.admitted') return [];
    const images = entry.parts.filter(({ type }) => type === 'image').length;
    const text = entry.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    const seen = [...text.matchAll(/\[photo: (\d)/g)].map(([, width]) => width).join('');
    return [
      `${images} pictures: ${seen}${text.includes('[edited]') ? ' edited' : ''}${text.includes('look') ? ' look' : ''}`,
    ];
  });
}

test('an album is one message with all its pictures, and has one answer, a reply to its first piece', async () => {
  await using house = await openTelegramHouse({ script: counting, telegram: { allow: [anna.id] } });
  const group = { id: -100_500, type: 'supergroup', title: 'Team' } as const;
  const entities = [{ type: 'mention', offset: 0, length: 12 }] as const;
  const album = makeAlbum(house, '@talaria_bot look', { chat: group });
  const [first, ...others] = album;
  assert.ok(first);

  bring(house, { ...first, caption_entities: [...entities] }, ...others);
  await house.telegram.whenShown(group.id, (texts) => texts.includes('Answer 1.'));

  assert.deepEqual(await turnsOf(house), ['3 pictures: 123 look']);
  assert.deepEqual(
    house.telegram.shown(group.id).map(({ text, repliesTo }) => [text, repliesTo]),
    [['Answer 1.', first.message_id]],
  );
});

test('however an album is split when it comes again, each of its pictures is taken in once, and an edit of one is an edit', async () => {
  await using house = await openTelegramHouse({ script: counting });
  const { telegram } = house;
  const [first, second, third] = makeAlbum(house, 'look');
  const answered = (count: number): Promise<unknown> =>
    telegram.whenShown(anna.id, (texts) => texts.includes(`Answer ${count}.`));

  bring(house, first);
  await answered(1);
  bring(house, first, second);
  await answered(2);
  bring(house, second, first, third);
  await answered(3);
  bring(house, first, second, third);
  bring(house, third);
  telegram.push({ edited_message: { ...second, caption: 'look here', edit_date: 1_767_225_700 } } as never);
  await answered(4);

  assert.deepEqual(await turnsOf(house), [
    '1 pictures: 1 look',
    '1 pictures: 2',
    '1 pictures: 3',
    '1 pictures: 2 edited look',
  ]);
});

test('what a run of the program took in of an album before it died, the next one leaves out', async () => {
  await using house = await openTelegramHouse({ script: counting });
  const [first, second, third] = makeAlbum(house, 'look');
  bring(house, first, second);
  await house.telegram.whenShown(anna.id, (texts) => texts.includes('Answer 1.'));
  await house.close();

  bring(house, first, second, third);
  await house.open();
  await house.telegram.whenShown(anna.id, (texts) => texts.includes('Answer 2.'));

  assert.deepEqual(await turnsOf(house), ['2 pictures: 12 look', '1 pictures: 3']);
});

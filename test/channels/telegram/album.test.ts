import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Update } from 'grammy/types';
import type { PersonId } from '../../../src/base/ids.ts';
import { groupAlbums, joinAlbum } from '../../../src/channels/telegram/album.ts';
import type { Inbound } from '../../../src/model/channel.ts';
import { textPart } from '../../../src/model/message.ts';
import { anna, ben } from '../../support/telegram-server.ts';
import { privateChat } from './bench.ts';

function update(id: number, album?: string, from = anna): Update {
  const message = { message_id: id, date: 0, chat: { id: -1, type: 'group', title: 'Team' }, from };
  return { update_id: id, message: { ...message, ...(album && { media_group_id: album }) } } as Update;
}

function piece(id: number, megabytes: number): Inbound {
  return {
    type: 'message',
    key: { platform: 'telegram', account: '1', chat: '2', messageId: String(id), revision: 0 },
    address: privateChat,
    person: 'telegram:42' as PersonId,
    parts: [textPart(String(id))],
    images: [{ bytes: new Uint8Array(megabytes * 1024 * 1024), name: String(id) }],
    workdir: '/',
  };
}

test('what stands side by side in one album is together, and nothing else is', () => {
  const edited: Update = { ...update(7, 'a'), edited_message: update(7, 'a').message } as Update;
  delete (edited as { message?: unknown }).message;
  const updates = [update(1), update(2), update(3, 'a'), update(4, 'a'), update(5, 'b'), update(6, 'b', ben), edited];

  const groups = groupAlbums([...updates, update(8, 'b', ben)]);

  const ids = groups.map((group) => group.map(({ update_id: id }) => id));
  assert.deepEqual(ids, [[1], [2], [3, 4], [5], [6], [7], [8]]);
});

test('an album whose pictures are too large for one message becomes as few as they fit into', () => {
  const joined = joinAlbum([piece(1, 7), piece(2, 7), piece(3, 7), piece(4, 7)]);

  const ids = joined.map((inbound) => {
    assert.equal(inbound.type, 'message');
    return [inbound.key, ...(inbound.album ?? []).map(({ key }) => key)].map(({ messageId }) => messageId);
  });
  assert.deepEqual(ids, [
    ['1', '2'],
    ['3', '4'],
  ]);
});

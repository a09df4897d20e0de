import type { Update } from 'grammy/types';
import type { Inbound } from '../../model/channel.ts';
import { mostBytesTogether } from '../../model/image.ts';

type InboundMessage = Extract<Inbound, { readonly type: 'message' }>;

/** Updates in their order, those side by side that are the pieces of one album together. Pure. */
export function groupAlbums(updates: readonly Update[]): readonly (readonly Update[])[] {
  const groups: Update[][] = [];
  for (const update of updates) {
    const group = groups.at(-1);
    const album = albumOf(update);
    if (group?.[0] !== undefined && album !== undefined && albumOf(group[0]) === album) group.push(update);
    else groups.push([update]);
  }
  return groups;
}

/** What the pieces of an album share. An edit of one is no piece: it is read as what it is. */
function albumOf({ message }: Update): string | undefined {
  if (message?.media_group_id === undefined) return undefined;
  const { chat, from, sender_chat: sender, message_thread_id: thread } = message;
  return [message.media_group_id, chat.id, thread, from?.id, sender?.id].join('/');
}

/** One message of what was sent together, or several where its pictures are too large for one. Pure. */
export function joinAlbum(inbounds: readonly Inbound[]): readonly Inbound[] {
  const joined: Inbound[] = [];
  let bytes = 0;
  for (const inbound of inbounds) {
    const last = joined.at(-1);
    const more = inbound.type === 'message' ? bytesOf(inbound) : 0;
    bytes += more;
    if (last?.type === 'message' && inbound.type === 'message' && bytes <= mostBytesTogether) {
      const { key, parts, images } = inbound;
      const album = [...(last.album ?? []), { key, parts, ...(images && { images }) }];
      joined.splice(-1, 1, { ...last, album });
    } else {
      joined.push(inbound);
      bytes = more;
    }
  }
  return joined;
}

function bytesOf({ images = [] }: InboundMessage): number {
  return images.reduce((sum, image) => sum + image.bytes.length, 0);
}

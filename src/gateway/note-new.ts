import type { AlbumPiece } from '../model/channel.ts';
import type { GivenImage } from '../model/image.ts';
import type { StoreTx } from '../model/store.ts';
import type { InboundMessage } from './keep-images.ts';

/**
 * Notes a message as taken in, with all that was sent together with it, and returns what of it is new as one message;
 * undefined where nothing is. However a platform splits an album when it delivers it again, each piece is taken in once.
 */
export async function noteNew(
  { album = [], ...message }: InboundMessage,
  { inbox }: Pick<StoreTx, 'inbox'>,
): Promise<InboundMessage | undefined> {
  const fresh: AlbumPiece[] = [];
  for (const piece of [message, ...album]) {
    if ((await inbox.note(piece.key)) === 'new') fresh.push(piece);
  }
  const [first] = fresh;
  if (first === undefined) return undefined;
  const images = fresh.flatMap((piece) => piece.images ?? []);
  return { ...message, key: first.key, parts: fresh.flatMap(({ parts }) => parts), images };
}

/** The pictures of a message and of all that was sent together with it. */
export function allImages({ images = [], album = [] }: InboundMessage): readonly GivenImage[] {
  return [...images, ...album.flatMap((piece) => piece.images ?? [])];
}
